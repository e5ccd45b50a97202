//! What `--help` says beside the options.

pub(crate) const ABOUT: &str = "\
Puts a Kaillera server under the load of many clients, and tells what their players feel.

Clients speak the protocol of v0.83 (the \"v086\" servers') as emulators do: they say hello, \
follow the server to the port it names, log in, open and enter rooms, and play in lockstep. It \
works with any server of that protocol, one with a port for each user included.";

pub(crate) const FIRST_STEPS: &str = "\
Examples:
  samara-load demo                                   a look at it, without a server
  samara-load kaillera                               100 users in rooms of 2 for 10 seconds
  samara-load kaillera --users 1000 --duration 30s --pid $(pidof samara) --html run.html
  samara-load churn --rate 200 --max-p99 50ms        200 logins a second
  samara-load compare before.json after.json         two runs side by side

`samara-load help SCENARIO` tells what a scenario does and measures, and its options.

Bounds:
  A run takes an hour at most, and all rates have a limit. Only a server on this machine may be
  put under load; for another one you have to say --this-is-my-own-server.";

/// Of every scenario.
macro_rules! exit_status {
    () => {
        "
Exit status:
  0  every stated limit held; without limits: everything came, in order, and nobody was dropped
  1  otherwise, or the run could not take place
  2  an option is wrong"
    };
}

/// Of scenarios with games.
macro_rules! games {
    ($examples:literal) => {
        concat!(
            "\
What is measured:
  Inputs are due at fixed times, whether or not the server keeps up: an input that had to wait
  for the frames before it counts from when it was due. The next one is sent only when the frame
  for the last has come, as emulators do, but for the frame delay the server granted.
  added delay   from when the last of a frame's inputs left to when the frame came: what the
                server and both ways through the system's sockets take. --max-p99 and
                --max-p999 are limits of it.
  round trip    from when an input was due to when its frame came.
  own lateness  how late this program sends. If that is not small, the machine is too busy for
                the other times to mean much; each of its threads keeps one core busy.
  late          received more than one frame's time after its last input was due.
  lost          a frame that never came. Gaps are message numbers the server left out, unequal
                frames differ between the players of a room.

Before it counts:
  Users log in one after the other, and a room's game starts as soon as the room is full.
  The run begins two seconds after all games did.

Inputs:
  held          a new input now and then, held in between: with the default of 66 in a hundred
                the 256-entry caches of players, and of rooms of 2 and 4, hit about as often as
                in the recording of a real game (68, 43 and 19 % of messages)
  random        a new input each frame: no cache ever hits
  recording     a file, each player 100 inputs apart and in a loop: lines of hex digits, one per
                frame, where xN repeats the line above N times; anything else is cut into
                inputs of --input-size bytes
",
            $examples,
            exit_status!()
        )
    };
}

pub(crate) const KAILLERA: &str = games!(
    "
Examples:
  samara-load kaillera --users 1000 --duration 30s --login-rate 100 --pid $(pidof samara)
  samara-load kaillera --users 96 --players 8 --conn 3 --target 127.0.0.1:27888
  samara-load kaillera --input recording game.txt --json run.json --html run.html
  samara-load kaillera --max-p99 2ms --max-lost 0 --max-late 0.1%
"
);

pub(crate) const FLOOD: &str = games!(
    "
Examples:
  samara-load flood --users 100 --rate 50000
"
);

pub(crate) const GARBAGE: &str = games!(
    "
Examples:
  samara-load garbage --users 100 --rate 5000
"
);

pub(crate) const CHURN: &str = concat!(
    "\
What is measured:
  Logins are due at fixed times, whoever is free greets the server.
  login         from when it was due to when the server says that the user is in; --max-p99 and
                --max-p999 are limits of it
  own lateness  how late a greeting leaves, unless everybody was still on the way
  lost          a login that was due and never came to an end

Examples:
  samara-load churn --users 500 --rate 200 --stay 500ms
",
    exit_status!()
);

pub(crate) const LOBBY: &str = concat!(
    "\
What is measured:
  Each user says a line at fixed times, and everybody receives every line. Servers have a least
  time between a user's lines, two seconds by default: more is refused.
  delivery      from when a line was due to when a user has it; --max-p99 and --max-p999 are
                limits of it. A server sends lobby messages at a pace, so this is no frame's delay
  own lateness  how late a line leaves
  lost          a line some user never got

Examples:
  samara-load lobby --users 200 --every 5s
",
    exit_status!()
);

pub(crate) const IDLE: &str = concat!(
    "\
What is measured:
  Users say nothing but that they are still there, and stay. With --pid: what they cost.
  lost          a user that was sent away

Examples:
  samara-load idle --users 2000 --login-rate 150 --duration 60s --pid $(pidof samara)
",
    exit_status!()
);

pub(crate) const PPS: &str = concat!(
    "\
What is measured:
  Each client has one PING under way at most; one whose answer does not come within a second is
  lost. At a given rate they are due at fixed times, with `max` as soon as the last is answered.
  round trip    from when a ping was due to when its answer came; --max-p99 and --max-p999 are
                limits of it
  own lateness  how late a ping leaves, unless all clients were waiting

Examples:
  samara-load pps --rate 50000
  samara-load pps --rate max --users 500 --threads 2
",
    exit_status!()
);

pub(crate) const ECHO: &str = concat!(
    "\
What is measured:
  As for `pps`, with datagrams of --size bytes and no server: threads of this program send back
  each batch they receive and do nothing else. No server on this machine can be faster.

Examples:
  samara-load echo
  samara-load echo --rate 60000 --size 40
",
    exit_status!()
);

pub(crate) const MAPLE: &str = concat!(
    "\
What is measured:
  added delay   from when a packet left to when it came back. --max-p99 and --max-p999 are limits
                of it. A stalled server does not hold packets back, so it cannot hide a stall.
  delivery      its name with --broadcast: to when one client has it; `to all` is to when the last
                one has, and is noted once for each packet
  round trip    at a given rate, from when a packet was due to when it came back
  own lateness  how late a packet leaves: up to a millisecond, as this program sleeps in between
  lost          a packet that did not come back, or not to everybody, two seconds after the end
  server        on Linux, the thread in between (or the process of --pid); its processor time is
                also told per packet that passed it, one way

With --rounds:
  The gateway and the bare relay, which passes on the same bytes and does nothing else, take turns
  with clients of their own. Each figure is the median of all rounds, counts are sums; a ratio is
  made within a round, and shown are their median, the least and the most.

Examples:
  samara-load maple --users 200 --threads 2
  samara-load maple --users 200 --rounds 5 --duration 3s --html maple.html
  samara-load maple --users 200 --rate 20000 --max-p99 5ms --max-lost 0
  samara-load maple --users 100 --through world --broadcast --rate 200
",
    exit_status!()
);

pub(crate) const TOGETHER: &str = concat!(
    "\
One server, one port number: players of Kaillera over UDP as in `kaillera`, and Maple sessions over
TCP as in `maple`, through the server's gateway to a world inside this program. In each round are
measured, each for --duration and in an order that changes: each alone; both at once; and both at
once with a server each, which tells what they owe to the machine alone.

What is measured:
  kaillera      added delay and what becomes of frames, alone and together
  maple         added delay and packets per second, alone and together
  processor     cores that the server used: the sum of both alone, and together
  ... apart     the same of two servers, and together
  Each figure is the median of all rounds, counts are sums; a ratio is made within a round, and
  shown are their median, the least and the most. --max-p99, --max-p999 and --max-late are limits
  of the players' time together, --max-lost of everything.

The machine:
  This program and the server share it. Players' threads keep a core busy each; sessions' threads
  and the world sleep when they can. With fewer than four cores, much of what both suffer beside
  each other is this program's doing: two servers have it, too.

With a server that runs already:
  --target is its address, and its configuration has a gateway that leads to --world:
  [gateway] login = \"127.0.0.1:8484\", and room for all sessions of one address:
  gateway.undecided_per_address and tcp.connections_per_address. There is no second server then.

Examples:
  samara-load together
  samara-load together --users 500 --sessions 500 --rate 20000 --rounds 5 --html both.html
  samara-load together --rate max --window 1 --duration 5s
  samara-load together --target 127.0.0.1:27888 --world 127.0.0.1:8484 --pid $(pidof samara)
",
    exit_status!()
);

pub(crate) const DEMO: &str = concat!(
    "\
A server of its own starts on a free port of 127.0.0.1, four players log in, enter a room and
play in lockstep at 60 frames per second. For what the numbers mean see `samara-load help
kaillera`.
",
    exit_status!()
);

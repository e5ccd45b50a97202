//! Rooms, their games and their owners.

use super::*;
use crate::lobby::{
    WatchEnd,
    rules::WatcherNumber,
    sync::{Desync, LagReport, Rhythm},
};

fn desync(world: &mut World, cause: Desync) {
    play(world);
    let (now, game) = (world.now, world.game(0));
    world
        .lobby
        .desynchronised(now, game, 1, cause, &mut world.sink);
}

fn measured(world: &mut World, millis: u64) {
    play(world);
    let lost = Duration::from_millis(millis);
    let report = LagReport {
        window: Duration::from_secs(60),
        game: lost,
        players: [Duration::ZERO, lost].into(),
    };
    let game = world.game(0);
    world
        .lobby
        .lag_measured(game, Some(Box::new(report)), true, &mut world.sink);
}

pub(super) const ROOMS: &[Scene] = &[
    (
        |w| {
            w.create('b', "Game");
            w.create('m', "Bad Game");
            enters(w, |_| {});
            w.create('c', "Bad Game");
            w.create('c', "a|b");
            w.create('c', "");
            w.create('c', &"x".repeat(127));
            w.create('c', "darn it");
            w.lobby.rules.max_games = 1;
            w.create('c', "Game");
            w.lobby.rules.max_games = 0;
            w.lobby.rules.create_game_flood = Duration::from_secs(9);
            w.create('c', "Game");
            w.quit_game('c');
            w.create('c', "Game");
            play(w);
            w.create('b', "Other");
        },
        &[
            (
                "b: Info server: ",
                "CreateDenied CreateInRoom CreatePlaying",
            ),
            (
                "c: Info server: ",
                "CreateBarred CreateIllegal CreateEmpty CreateLong CreateFiltered \
                 CreateMaxGames CreateFlood PostPending",
            ),
            ("abmxsc: Info server: ", "RoomOpened"),
        ],
    ),
    (
        |w| {
            w.lobby.drain(w.now, &mut w.sink);
            w.create('m', "Game");
            w.start('a');
        },
        &[
            ("m: Info server: ", "CreateDraining"),
            ("a: GameChat Error: ", "StartDraining"),
        ],
    ),
    (
        |w| {
            enters(w, |it| it.emulator = b"EMU 2");
            w.join('b', 1);
            w.join('b', 7);
            w.join('c', 7);
            here(w, 'a', "/setemu");
            w.join('c', 1);
            here(w, 'a', "/setemu any; /maxusers 2");
            w.join('c', 1);
            here(w, 'a', "/maxusers 8; /maxping 5");
            w.join('c', 1);
            here(w, 'a', "/maxping 900; /password x");
            w.join('c', 1);
            for _ in 0..6 {
                say(w, 'c', "/password y");
                w.join('c', 1);
            }
            here(w, 'a', "/password off");
            w.join('c', 1);
            w.kick('a', 6);
            w.join('c', 1);
        },
        &[
            ("b: Info server: ", "JoinDenied JoinMember JoinInRoom"),
            (
                "c: Info server: ",
                "JoinGone JoinEmulator JoinFull JoinPing JoinPassword PasswordNoted \
                 JoinPasswordWrong JoinPasswordTries JoinKicked",
            ),
            ("abc: GameChat Server: ", "OtherEmulator"),
            (
                "ab: GameChat Server: ",
                "SetEmulatorOnly SetEmulatorAny MaxUsers MaxPing PasswordSet PasswordOff",
            ),
        ],
    ),
    (
        |w| {
            enters(w, |it| it.connection_type = ConnectionType::Bad);
            here(w, 'a', "/setconn");
            w.join('c', 1);
            here(w, 'a', "/setconn any");
            for _ in 0..9 {
                w.join('c', 1);
                w.quit_game('c');
            }
            play(w);
            w.wait(2000);
            enters(w, |_| {});
            w.login('d', login(b"d"));
            w.join('d', 1);
        },
        &[
            ("c: Info server: ", "JoinType JoinSpam"),
            ("d: Info server: ", "JoinRunning WatchHint"),
            ("ab: GameChat Server: ", "SetTypeOnly SetTypeAny"),
        ],
    ),
    (
        |w| {
            here(w, 'b', "/stop");
            here(w, 'a', "/stop");
        },
        &[
            ("b: GameChat Server: ", "PostNone"),
            ("a: GameChat Server: ", "PostCanceled"),
        ],
    ),
];

pub(super) const STARTS: &[Scene] = &[
    (
        |w| {
            w.start('m');
            w.kick('m', 1);
            w.start('b');
            w.kick('b', 1);
            w.kick('a', 1);
            w.kick('a', 3);
            w.start('a');
            w.start('a');
            w.ready("ab");
            w.start('a');
        },
        &[
            ("m: GameChat Error: ", "StartNotInRoom KickNotInRoom"),
            ("b: GameChat Error: ", "StartNotOwner KickNotOwner"),
            (
                "a: GameChat Error: ",
                "KickSelf KickNotFound StartSynchronizing StartPlaying",
            ),
            ("ab: GameChat Server: ", "Delay"),
        ],
    ),
    (
        |w| {
            w.lobby.rules.allow_single_player = false;
            w.quit_game('b');
            w.start('a');
        },
        &[("a: GameChat Error: ", "StartAlone")],
    ),
    (
        |w| {
            enters(w, |it| it.connection_type = ConnectionType::Bad);
            w.join('c', 1);
            w.start('a');
        },
        &[
            ("abc: GameChat Server: ", "StartTypeInfo"),
            ("a: GameChat Error: ", "StartType"),
        ],
    ),
    (
        |w| {
            enters(w, |it| it.emulator = b"EMU 2");
            w.join('c', 1);
            w.start('a');
        },
        &[
            ("abc: GameChat Server: ", "StartEmulatorInfo"),
            ("a: GameChat Error: ", "StartEmulator"),
        ],
    ),
    (
        |w| {
            here(w, 'a', "/watch");
            here(w, 'b', "/watch");
            w.start('a');
            here(w, 'b', "/unwatch");
        },
        &[
            ("a: GameChat Error: ", "StartNobody"),
            ("ab: GameChat Server: ", "WatcherCame WatcherLeft"),
        ],
    ),
    (
        |w| {
            w.start('a');
            times_out(w, 300);
        },
        &[("ab: GameChat Server: ", "NotReady")],
    ),
    (
        |w| {
            here(w, 'a', "/samedelay false; /samedelay true; /p2pon");
            play(w);
            w.drop('a');
            here(w, 'a', "/p2poff");
            here(w, 'b', "/p2pon; /p2poff");
        },
        &[
            (
                "ab: GameChat Server: ",
                "SameDelayOff SameDelayOn SameDelay QuietOnAll QuietOffAll QuietOn QuietOff \
                 QuietStart",
            ),
            ("a: GameChat Server: ", "QuietEnd"),
        ],
    ),
    (
        |w| {
            w.join('m', 1);
            w.join('x', 1);
            w.start('a');
            w.ready("abmx");
        },
        &[("abmx: GameChat Server: ", "Delays")],
    ),
];

pub(super) const GAMES: &[Scene] = &[
    (
        |w| desync(w, Desync::Gap),
        &[("ab: GameChat ", "DesyncName DesyncGap")],
    ),
    (
        |w| desync(w, Desync::Stall(Duration::from_secs(9))),
        &[("ab: GameChat ", "HangDropped")],
    ),
    (
        |w| {
            w.lobby.rules.drop_stalled = false;
            desync(w, Desync::Stall(Duration::from_secs(9)));
        },
        &[("ab: GameChat ", "DesyncStall")],
    ),
    (
        |w| {
            play(w);
            let (now, game) = (w.now, w.game(0));
            w.lobby.bad_cache_index(now, game, 0, &mut w.sink);
            w.lobby.autofire(game, 1, Rhythm(1, 1), &mut w.sink);
        },
        &[
            ("a: GameChat Error: ", "BadCacheIndex"),
            ("ab: GameChat Server: ", "Autofire"),
        ],
    ),
    (
        |w| {
            measured(w, 9000);
            here(w, 'b', "/lagreset; /fps 50");
        },
        &[(
            "ab: GameChat Server: ",
            "LagTotal Seconds LagPlayers LagPlayer LagAdvice LagReset Fps",
        )],
    ),
    (|w| measured(w, 1), &[("ab: GameChat Server: ", "LagNone")]),
    (
        |w| {
            w.lobby.rules.watcher_number = WatcherNumber::Zero;
            play(w);
            enters(w, |_| {});
            w.wait(2000);
            say(w, 'c', "/watch 1");
            w.join('c', 1);
            let game = w.game(0);
            w.lobby.watch_answered(game, key('c'), 0, &mut w.sink);
            let end = WatchEnd::Outrun;
            w.lobby.watch_ended(game, key('c'), 0, end, &mut w.sink);
            w.lobby.rules.watching = false;
            here(w, 'b', "/watch");
            here(w, 'a', "/watchers off");
            w.lobby.rules.watching = true;
            here(w, 'a', "/watchers on");
        },
        &[
            ("c: Info server: ", "WatchNext"),
            ("c: GameChat Server: ", "WatchBegins WatchEnds"),
            ("b: GameChat Server: ", "WatchDenied"),
            ("abc: GameChat Server: ", "WatchersOff WatchersOn"),
        ],
    ),
    (
        |w| {
            play(w);
            w.depart('b', Departure::ConnectionLost);
            w.login('b', login(b"b"));
            w.join('b', 1);
            let (now, game) = (w.now, w.game(0));
            w.lobby.watch_answered(game, key('b'), 0, &mut w.sink);
            w.ready("b");
            w.lobby.returned(now, game, key('b'), 1, &mut w.sink);
        },
        &[("ab: GameChat Server: ", "Rejoined")],
    ),
];

pub(super) const OWNERS: &[Scene] = &[(
    |w| {
        let lines = "/detectautofire; /detectautofire 0; /startn 9; /startn off; /mute 2; /unmute \
                     2; /unmuteall; /kick 9; /mute 1; /swap 21; /swap 1; /num; /delay 5; /help; \
                     /start; /detectautofire 1";
        w.wait(2000);
        here(w, 'b', "/num");
        here(w, 'a', lines);
        w.quit_game('b');
        here(w, 'a', "/kickall");
    },
    &[
        ("b: GameChat Server: ", "CommandOwner"),
        (
            "a: GameChat Server: ",
            "CommandFailed AutofireLevels AutofireDisable AutofireLevel AutofireInGame \
             KickNoPlayer TargetSelf SwapOrder SwapUndone Members HelpDetectAutofire \
             KickedAll",
        ),
        (
            "ab: GameChat Server: ",
            "AutofireLevel AutofireOff StartAt StartAtOff Muted Unmuted UnmutedAll \
             Swapped DelayChanged",
        ),
    ],
)];

//! The scripts: tables of what is counted, phase by phase.
//!
//! All run on the real server with its sockets and threads: the start and the end are as much
//! of what it asks for as the messages between, and what a message costs is the same as under
//! a clock of the tool's own, since everybody waits for its answers.

use crate::{
    counting, game,
    pace::Pace,
    stage::Stage,
    user::{Failure, User},
};
use samara::{
    kaillera::message::ClientMessage,
    maple::{Codec, Direction, IvPolicy, Profile},
};

/// Does something to the server, and says how many messages that were.
type Run = fn(&mut Stage, &Size) -> Result<u64, Failure>;

/// One phase of a script.
#[derive(Clone, Copy)]
pub(crate) struct Workload {
    pub(crate) name: &'static str,
    /// What counts as a message.
    pub(crate) message: &'static str,
    /// Whether the server may allocate nothing.
    pub(crate) steady: bool,
    pub(crate) run: Run,
}

/// How much of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Size {
    pub(crate) users: u32,
    /// Inputs of each player of a game, the first included.
    pub(crate) inputs: u32,
    /// How many times as fast as a real game; `None` is as fast as the server answers.
    pub(crate) speed: Option<f64>,
}

/// Keepalives of each user.
const KEEPALIVES: u32 = 100;
/// Lobby lines of each user.
const LINES: u32 = 10;
/// Maple packets there and back.
const MAPLE_FRAMES: usize = 10_000;
/// Their lengths in turn.
const MAPLE_LENGTHS: [usize; 5] = [32, 128, 512, 1460, 8192];

/// What users of Kaillera do. A service with other messages has a table of its own.
pub(crate) const KAILLERA: &[Workload] = &[
    START,
    Workload {
        name: "first logins",
        message: "login",
        steady: false,
        run: log_in,
    },
    Workload {
        name: "logouts",
        message: "logout",
        steady: false,
        run: log_out,
    },
    Workload {
        name: "logins",
        message: "login",
        steady: false,
        run: log_in,
    },
    Workload {
        name: "keepalives",
        message: "keepalive",
        steady: true,
        run: keep_alive,
    },
    Workload {
        name: "lobby chat",
        message: "line",
        steady: false,
        run: chat,
    },
    Workload {
        name: "rooms",
        message: "room",
        steady: false,
        run: rooms,
    },
    begins("game of 2 begins", |stage, _| begin(stage, 2)),
    plays("game of 2", |stage, size| play(stage, size, 2)),
    ends("game of 2 ends", |stage, _| end(stage, 2)),
    begins("game of 4 begins", |stage, _| begin(stage, 4)),
    plays("game of 4", |stage, size| play(stage, size, 4)),
    ends("game of 4 ends", |stage, _| end(stage, 4)),
    begins("game of 8 begins", |stage, _| begin(stage, 8)),
    plays("game of 8", |stage, size| play(stage, size, 8)),
    ends("game of 8 ends", |stage, _| end(stage, 8)),
    Workload {
        name: "maple frames",
        message: "frame",
        steady: true,
        run: maple_frames,
    },
    LEAVE,
    STOP,
];

/// One player alone in a game, for as long as its pace takes.
pub(crate) const REFERENCE: &[Workload] = &[
    START,
    Workload {
        name: "login",
        message: "login",
        steady: false,
        run: log_in,
    },
    begins("game begins", |stage, _| begin(stage, 1)),
    plays("game", |stage, size| play(stage, size, 1)),
    LEAVE,
    STOP,
];

const START: Workload = Workload {
    name: "start",
    message: "",
    steady: false,
    run: |stage, _| stage.start().map(|()| 0),
};

const LEAVE: Workload = Workload {
    name: "leave",
    message: "logout",
    steady: false,
    run: log_out,
};

const STOP: Workload = Workload {
    name: "stop",
    message: "",
    steady: false,
    run: |stage, _| {
        stage.stop();
        Ok(0)
    },
};

const fn begins(name: &'static str, run: Run) -> Workload {
    Workload {
        name,
        message: "player",
        steady: false,
        run,
    }
}

const fn ends(name: &'static str, run: Run) -> Workload {
    begins(name, run)
}

const fn plays(name: &'static str, run: Run) -> Workload {
    Workload {
        name,
        message: "input",
        steady: true,
        run,
    }
}

/// What a server does with Maple packets, without sockets: encodes them, and decodes what comes.
fn maple_frames(_: &mut Stage, _: &Size) -> Result<u64, Failure> {
    let codec = Codec::new(Profile::GMS_83);
    let (_, iv) = IvPolicy::Classic.choose([1; 8]);
    let mut encoder = codec.encoder(Direction::ToClient, iv);
    let mut decoder = codec.decoder(Direction::ToClient, iv);
    let mut frames = MAPLE_LENGTHS.map(|len| vec![0; 4 + len]);
    counting::as_server(|| {
        let mut done = 0;
        for _ in 0..MAPLE_FRAMES / MAPLE_LENGTHS.len() {
            for frame in &mut frames {
                let encoded = encoder.encode(frame).is_ok();
                if !encoded || decoder.decode(frame).is_err() {
                    return Err(Failure("a Maple packet did not come through".into()));
                }
                done += 1;
            }
        }
        Ok(done)
    })
}

fn log_in(stage: &mut Stage, size: &Size) -> Result<u64, Failure> {
    let to = stage.address()?;
    for n in 0..size.users {
        stage.users.push(User::log_in(to, &format!("user {n}"))?);
    }
    Ok(size.users.into())
}

fn log_out(stage: &mut Stage, _: &Size) -> Result<u64, Failure> {
    let users = std::mem::take(&mut stage.users);
    let count = users.len() as u64;
    for user in users {
        user.log_out()?;
    }
    stage.wait_until(|server| server.sessions() == 0)?;
    Ok(count)
}

fn keep_alive(stage: &mut Stage, size: &Size) -> Result<u64, Failure> {
    let mut received = stage.received();
    for _ in 0..KEEPALIVES {
        for user in &mut stage.users {
            user.say(&ClientMessage::KeepAlive)?;
        }
        received += u64::from(size.users);
        stage.wait_until(|server| server.metrics().datagrams_in.get() >= received)?;
    }
    Ok(u64::from(size.users) * u64::from(KEEPALIVES))
}

/// Everybody in turn says a line, and all wait for it.
fn chat(stage: &mut Stage, size: &Size) -> Result<u64, Failure> {
    for n in 0..LINES {
        let line = format!("Who joins me for game {n}?");
        for speaker in 0..stage.users.len() {
            let message = ClientMessage::Chat {
                text: line.as_bytes(),
            };
            if let Some(speaker) = stage.users.get_mut(speaker) {
                speaker.say(&message)?;
            }
            for user in &mut stage.users {
                user.receive(|_| {})?;
            }
        }
    }
    Ok(u64::from(size.users) * u64::from(LINES))
}

/// Two by two they open a room, meet there, and leave again.
fn rooms(stage: &mut Stage, _: &Size) -> Result<u64, Failure> {
    let mut rooms = 0;
    for pair in stage.users.chunks_exact_mut(2) {
        game::gather(pair)?;
        game::disband(pair)?;
        rooms += 1;
    }
    Ok(rooms)
}

/// A room, its game, and the first inputs: a game's memory is made for their length.
fn begin(stage: &mut Stage, players: usize) -> Result<u64, Failure> {
    let players = players_of(stage, players)?;
    game::begin(players)?;
    game::play(players, 0)?;
    Ok(players.len() as u64)
}

fn play(stage: &mut Stage, size: &Size, players: usize) -> Result<u64, Failure> {
    let players = players_of(stage, players)?;
    let players = players.len();
    let pace = Pace::new(size.inputs, size.speed);
    for frame in 1..size.inputs {
        pace.wait(frame);
        game::play(players_of(stage, players)?, frame)?;
    }
    Ok(players as u64 * u64::from(size.inputs.saturating_sub(1)))
}

fn end(stage: &mut Stage, players: usize) -> Result<u64, Failure> {
    let players = players_of(stage, players)?;
    game::disband(players)?;
    Ok(players.len() as u64)
}

/// The first of the users.
fn players_of(stage: &mut Stage, players: usize) -> Result<&mut [User], Failure> {
    let users = stage.users.get_mut(..players);
    users.ok_or_else(|| Failure(format!("a game of {players} needs as many users")))
}

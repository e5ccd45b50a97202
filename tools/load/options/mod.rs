//! The command line.

mod help;
mod maple;
#[cfg(test)]
mod tests;
mod together;
mod values;

pub(crate) use maple::{Maple, Talk};
pub(crate) use together::Together;
pub(crate) use values::{MAX_RATE, Rate};

use crate::{
    client::{Inputs, Recording},
    measure::{self, Observed},
    wire::{self, MAX_SOCKETS},
};
use clap::{
    Args, CommandFactory, FromArgMatches, Parser, Subcommand, error::ErrorKind, parser::ValueSource,
};
use samara::kaillera::message::{ConnectionType, MAX_INPUT};
use std::{
    collections::BTreeMap,
    ffi::OsString,
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

/// Longest frame of all players' inputs that fits into one datagram of any server's.
const LONGEST_FRAME: usize = 4000;

/// Puts a Kaillera server under the load of many clients, and tells what their players feel.
#[derive(Debug, Parser)]
#[command(
    name = "samara-load",
    version,
    long_about = help::ABOUT,
    after_help = help::FIRST_STEPS,
    arg_required_else_help = true,
    args_conflicts_with_subcommands = true,
    disable_help_subcommand = false
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    /// Same as `compare`
    #[arg(long, num_args = 2, value_names = ["BEFORE", "AFTER"])]
    compare: Option<Vec<PathBuf>>,
    /// Where --compare writes its page
    #[arg(long, value_name = "FILE", requires = "compare")]
    html: Option<PathBuf>,
}

/// The scenarios, each with clients of one protocol. A service of another protocol has its
/// scenario here under the service's name.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Players of emulators, in lockstep games
    #[command(after_help = help::KAILLERA)]
    Kaillera(Kaillera),
    /// Users that log in and leave again
    #[command(after_help = help::CHURN)]
    Churn(Churn),
    /// Users that chat in the lobby
    #[command(after_help = help::LOBBY)]
    Lobby(Lobby),
    /// Users that are there and do nothing
    #[command(after_help = help::IDLE)]
    Idle(Idle),
    /// Games, beside users that say lines as fast as they can
    #[command(after_help = help::FLOOD)]
    Flood(Flood),
    /// Games, beside malformed datagrams
    #[command(after_help = help::GARBAGE)]
    Garbage(Garbage),
    /// Pings, and how many are answered per second
    #[command(after_help = help::PPS)]
    Pps(Pps),
    /// Datagrams per second without a server: this machine's limit
    #[command(after_help = help::ECHO)]
    Echo(Echo),
    /// Maple sessions inside this program, behind the gateway, a bare relay or nothing
    #[command(after_help = help::MAPLE)]
    Maple(Maple),
    /// Players and Maple sessions at the same port of one server, each alone and both at once
    #[command(after_help = help::TOGETHER)]
    Together(Together),
    /// A server inside this program and four players: a first look
    #[command(after_help = help::DEMO)]
    Demo(Demo),
    /// Two runs side by side
    Compare(Compare),
}

/// Players in lockstep games.
#[derive(Clone, Debug, Args)]
pub(crate) struct Kaillera {
    #[command(flatten)]
    pub(crate) clients: Clients,
    #[command(flatten)]
    pub(crate) server: Server,
    #[command(flatten)]
    pub(crate) logins: Logins,
    #[command(flatten)]
    pub(crate) play: Play,
    #[command(flatten)]
    pub(crate) limits: Limits,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// Games, and users who say too much.
#[derive(Clone, Debug, Args)]
pub(crate) struct Flood {
    /// Users that flood, beside those who play
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=64))]
    pub(crate) flooders: u32,
    /// Lines per second of all of them together
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(1..=200_000))]
    pub(crate) rate: u32,
    #[command(flatten)]
    pub(crate) games: Kaillera,
}

/// Games, and datagrams that are no messages.
#[derive(Clone, Debug, Args)]
pub(crate) struct Garbage {
    /// Malformed datagrams per second, from strangers and from a user
    #[arg(long, value_name = "N", default_value_t = 2_000, value_parser = clap::value_parser!(u32).range(1..=200_000))]
    pub(crate) rate: u32,
    #[command(flatten)]
    pub(crate) games: Kaillera,
}

/// Users that come and go.
#[derive(Clone, Debug, Args)]
pub(crate) struct Churn {
    /// Logins per second
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) rate: u32,
    /// How long each stays
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = values::interval)]
    pub(crate) stay: Duration,
    #[command(flatten)]
    pub(crate) clients: Clients,
    #[command(flatten)]
    pub(crate) server: Server,
    #[command(flatten)]
    pub(crate) limits: Limits,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// Users that talk.
#[derive(Clone, Debug, Args)]
pub(crate) struct Lobby {
    /// How often each says a line
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = values::interval)]
    pub(crate) every: Duration,
    #[command(flatten)]
    pub(crate) clients: Clients,
    #[command(flatten)]
    pub(crate) server: Server,
    #[command(flatten)]
    pub(crate) logins: Logins,
    #[command(flatten)]
    pub(crate) limits: Limits,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// Users that are there.
#[derive(Clone, Debug, Args)]
pub(crate) struct Idle {
    /// How often each says that it is still there
    #[arg(long, value_name = "TIME", default_value = "20s", value_parser = values::interval)]
    pub(crate) every: Duration,
    #[command(flatten)]
    pub(crate) clients: Clients,
    #[command(flatten)]
    pub(crate) server: Server,
    #[command(flatten)]
    pub(crate) logins: Logins,
    #[command(flatten)]
    pub(crate) lost: LostLimit,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// Pings.
#[derive(Clone, Debug, Args)]
pub(crate) struct Pps {
    /// Pings per second, at most 1000000, or `max`: each client's next when the last is answered
    #[arg(long, value_name = "N", default_value = "20000", value_parser = values::rate)]
    pub(crate) rate: Rate,
    #[command(flatten)]
    pub(crate) clients: Clients,
    #[command(flatten)]
    pub(crate) server: Server,
    #[command(flatten)]
    pub(crate) limits: Limits,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// Datagrams to and fro.
#[derive(Clone, Debug, Args)]
pub(crate) struct Echo {
    /// Datagrams per second, at most 1000000, or `max`: each client's next when the last is back
    #[arg(long, value_name = "N", default_value = "max", value_parser = values::rate)]
    pub(crate) rate: Rate,
    /// Bytes of each
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = clap::value_parser!(u32).range(1..=1400))]
    pub(crate) size: u32,
    /// Threads that send them back
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=64))]
    pub(crate) loops: u32,
    #[command(flatten)]
    pub(crate) clients: Clients,
    #[command(flatten)]
    pub(crate) limits: Limits,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// A first look.
#[derive(Clone, Debug, Args)]
pub(crate) struct Demo {
    /// How long they play, such as 10s, 2m or 500ms; at most an hour
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = values::duration)]
    pub(crate) duration: Duration,
    #[command(flatten)]
    pub(crate) limits: Limits,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// Two records.
#[derive(Clone, Debug, PartialEq, Args)]
pub(crate) struct Compare {
    /// What `--json` wrote
    pub(crate) before: PathBuf,
    /// What `--json` wrote later, or of another server
    pub(crate) after: PathBuf,
    /// Writes both to a page with plots
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
}

/// Who comes, and for how long.
#[derive(Clone, Debug, Args)]
pub(crate) struct Clients {
    /// Clients; in games, those who would not fill a room stay away
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=20_000))]
    pub(crate) users: u32,
    /// How long to measure, such as 30s, 2m or 500ms; at most an hour
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = values::duration)]
    pub(crate) duration: Duration,
    /// Threads of this program
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=64))]
    pub(crate) threads: u32,
    /// Decides everything random
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
}

/// Where to.
#[derive(Clone, Debug, Args)]
pub(crate) struct Server {
    /// The server
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:27888", value_parser = values::target)]
    pub(crate) target: SocketAddr,
    /// Allows a target on another machine, which has to be yours: this is an attack otherwise
    #[arg(long)]
    this_is_my_own_server: bool,
    /// The server's process, to report what it takes; on Linux
    #[arg(long, value_name = "PID")]
    pid: Option<u32>,
}

/// How they come.
#[derive(Clone, Debug, Args)]
pub(crate) struct Logins {
    /// Users that log in per second
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) login_rate: u32,
}

/// What they play.
#[derive(Clone, Debug, Args)]
pub(crate) struct Play {
    /// Players in each room
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=8))]
    pub(crate) players: u32,
    /// Connection type, 1 (LAN, 60 inputs per second) to 6 (bad, 10 per second)
    #[arg(long, value_name = "TYPE", default_value = "1", value_parser = values::connection_type)]
    pub(crate) conn: ConnectionType,
    /// Where inputs come from: `held`, `random`, or `recording` and a file
    #[arg(long, num_args = 1..=2, value_names = ["MODEL", "FILE"], default_value = "held")]
    input: Vec<String>,
    /// Inputs in a hundred that are held from the one before
    #[arg(long, value_name = "N", default_value_t = 66, value_parser = clap::value_parser!(u32).range(0..=100))]
    held: u32,
    /// Bytes of input per frame and player
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=(MAX_INPUT as i64 / 6)))]
    input_size: u32,
    /// Frames that may be late, or a percentage of all
    #[arg(long, value_name = "N|N%", value_parser = values::late, help_heading = "Limits")]
    pub(crate) max_late: Option<measure::Late>,
}

/// What makes a run a failure.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Limits")]
pub(crate) struct Limits {
    /// Longest 99th percentile of what is measured, such as 2ms or 500us
    #[arg(long, value_name = "TIME", value_parser = crate::duration::time)]
    pub(crate) max_p99: Option<Duration>,
    /// Longest 99.9th percentile
    #[arg(long, value_name = "TIME", value_parser = crate::duration::time)]
    pub(crate) max_p999: Option<Duration>,
    #[command(flatten)]
    pub(crate) lost: LostLimit,
}

/// What may be missing.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Limits")]
pub(crate) struct LostLimit {
    /// Answers that may be lost
    #[arg(long, value_name = "N")]
    pub(crate) max_lost: Option<u64>,
}

/// What is left of it.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct Output {
    /// Writes the run to a file, for `compare` and for programs
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Writes a page with plots that needs nothing else
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Shows no progress; without a terminal there is none anyway
    #[arg(long)]
    pub(crate) quiet: bool,
}

/// What a command line says.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) command: Command,
    /// The inputs of those who play.
    pub(crate) inputs: Inputs,
    /// The command's options, defaults included, but for where its output goes.
    pub(crate) options: BTreeMap<String, String>,
}

/// Reads a command line, and the recording it names.
///
/// # Errors
///
/// What to print, and how to exit then; asking for help is one of them.
pub(crate) fn parse<I: IntoIterator<Item: Into<OsString> + Clone>>(
    words: I,
) -> Result<Asked, clap::Error> {
    let matches = Cli::command().try_get_matches_from(words)?;
    let cli = Cli::from_arg_matches(&matches)?;
    let options = matches
        .subcommand()
        .map(|(name, matches)| listed(name, matches));
    let command = match (cli.command, cli.compare.as_deref()) {
        (Some(command), _) => command,
        (None, Some([before, after])) => Command::Compare(Compare {
            before: before.clone(),
            after: after.clone(),
            html: cli.html,
        }),
        (None, _) => return Err(wrong("what to do? --help tells")),
    };
    if let Some(output) = command.output() {
        output.check().map_err(wrong)?;
    }
    let inputs = command.check().map_err(wrong)?;
    Ok(Asked {
        command,
        inputs,
        options: options.unwrap_or_default(),
    })
}

fn wrong(message: impl std::fmt::Display) -> clap::Error {
    Cli::command().error(ErrorKind::ValueValidation, message)
}

/// The options of a subcommand as they were given, or are by default.
fn listed(name: &str, matches: &clap::ArgMatches) -> BTreeMap<String, String> {
    const OF_OUTPUT: [&str; 3] = ["json", "html", "quiet"];
    let command = Cli::command();
    let arguments = command.find_subcommand(name).into_iter();
    let value = |argument: &clap::Arg| {
        let long = argument.get_long().filter(|it| !OF_OUTPUT.contains(it))?;
        let id = argument.get_id().as_str();
        let is_flag = argument.get_action().takes_values();
        if !is_flag && matches.value_source(id) != Some(ValueSource::CommandLine) {
            return None;
        }
        let words = matches.get_raw(id)?.map(|it| it.to_string_lossy());
        Some((long.to_owned(), words.collect::<Vec<_>>().join(" ")))
    };
    arguments
        .flat_map(|it| it.get_arguments().filter_map(value))
        .collect()
}

impl Command {
    /// What is left of it, unless it is no run.
    pub(crate) fn output(&self) -> Option<&Output> {
        Some(match self {
            Self::Kaillera(games) => &games.output,
            Self::Flood(flood) => &flood.games.output,
            Self::Garbage(garbage) => &garbage.games.output,
            Self::Churn(churn) => &churn.output,
            Self::Lobby(lobby) => &lobby.output,
            Self::Idle(idle) => &idle.output,
            Self::Pps(pps) => &pps.output,
            Self::Echo(echo) => &echo.output,
            Self::Maple(maple) => &maple.output,
            Self::Together(together) => &together.output,
            Self::Demo(demo) => &demo.output,
            Self::Compare(_) => return None,
        })
    }

    /// What no option can check alone; answers the inputs of those who play.
    fn check(&self) -> Result<Inputs, String> {
        let none = Ok(Inputs::Held(0, 1));
        match self {
            Self::Kaillera(games) => games.check(0),
            Self::Flood(flood) => flood.games.check(flood.flooders),
            Self::Garbage(garbage) => garbage.games.check(crate::scenario::GARBAGE_CLIENTS),
            Self::Churn(churn) => churn.server.check(churn.clients.users).and(none),
            Self::Lobby(lobby) => lobby.server.check(lobby.clients.users).and(none),
            Self::Idle(idle) => idle.server.check(idle.clients.users).and(none),
            Self::Pps(pps) => pps.server.check(pps.clients.users).and(none),
            Self::Maple(maple) => maple.check().and(none),
            Self::Together(together) => together.check(),
            Self::Echo(_) | Self::Demo(_) | Self::Compare(_) => none,
        }
    }
}

impl Kaillera {
    fn check(&self, others: u32) -> Result<Inputs, String> {
        self.server.check(self.clients.users + others)?;
        let (users, players) = (self.clients.users, self.play.players);
        if users < players {
            return Err(format!("{users} users do not fill a room of {players}"));
        }
        self.play.inputs()
    }
}

impl Server {
    /// Whom to look at.
    pub(crate) fn observed(&self) -> Option<Observed> {
        self.pid.map(Observed::Process)
    }

    fn check(&self, clients: u32) -> Result<(), String> {
        let target = self.target;
        if !target.ip().is_loopback() && !self.this_is_my_own_server {
            return Err(format!(
                "{target} is not on this machine: if that server is yours, and only then, say \
                 --this-is-my-own-server"
            ));
        }
        if !wire::is_shared(target) && clients > MAX_SOCKETS {
            return Err(format!(
                "only {MAX_SOCKETS} clients can talk to {target}, as each needs a socket"
            ));
        }
        Ok(())
    }
}

impl Play {
    fn inputs(&self) -> Result<Inputs, String> {
        let size = self.input_size as usize;
        let words: Vec<_> = self.input.iter().map(String::as_str).collect();
        let inputs = match *words {
            ["held"] => Inputs::Held(self.held, size),
            ["random"] => Inputs::Held(0, size),
            ["recording", file] => {
                let recording = Recording::read(Path::new(file), size);
                let recording = recording.map_err(|error| format!("{file}: {error}"))?;
                Inputs::Recorded(Arc::new(recording))
            }
            _ => return Err("--input is one of: held, random, recording FILE".into()),
        };
        let message = inputs.len() * self.conn.frames();
        if message > MAX_INPUT || message * self.players as usize > LONGEST_FRAME {
            return Err(format!(
                "inputs of {} bytes are too long for {} players with connection type {}",
                inputs.len(),
                self.players,
                self.conn as u8
            ));
        }
        Ok(inputs)
    }
}

impl Output {
    /// Nobody wants to hear after an hour that a directory does not exist.
    fn check(&self) -> Result<(), String> {
        let files = self.json.iter().chain(&self.html);
        let homeless = |file: &&PathBuf| {
            let directory = file.parent().filter(|it| !it.as_os_str().is_empty());
            file.is_dir() || directory.is_some_and(|it| !it.is_dir())
        };
        match files.into_iter().find(homeless) {
            Some(file) => Err(format!("{} cannot be a file", file.display())),
            None => Ok(()),
        }
    }
}

impl Limits {
    pub(crate) fn stated(&self, late: Option<measure::Late>) -> measure::Limits {
        measure::Limits {
            p99: self.max_p99,
            p999: self.max_p999,
            lost: self.lost.max_lost,
            late,
        }
    }
}

impl LostLimit {
    pub(crate) fn stated(&self) -> measure::Limits {
        measure::Limits {
            lost: self.max_lost,
            ..measure::Limits::default()
        }
    }
}

//! The command line.

use crate::pace::PER_SECOND;
use clap::{Args, Parser, Subcommand};
use samara::service::kaillera::MAX_THREADS;
use std::{path::PathBuf, time::Duration};

/// Longest game of the reference.
const LONGEST: Duration = Duration::from_secs(3600);

const NOTES: &str = "\
What is counted:
  The real server runs inside this process, on its built-in configuration, listens on this
  machine alone, and is talked to over sockets. The process's allocator notes each block that
  is asked for by a thread of the server, from the thread's first instruction to its last, and
  by the main thread while it starts and stops the server. What the users ask for, who are in
  the same process, is left out.

  allocations  blocks asked for; one that changes its size counts again
  bytes        the sizes of those blocks, given back or not; again the whole new size of one
               that changes it
  live         bytes not given back, when the phase is over
  peak         the highest that live was during the phase

  A message is what the phase is about: a login, a line, an input. Datagrams, of which there
  are more, are in the file that --json writes. Not counted are the stacks of threads, the
  program itself and the system's buffers of the sockets; no log is written.

  Steady phases (keepalives, games after their first inputs, and Maple frames) have to do
  without any allocation: those are marked with an asterisk, and the exit status says whether
  they did. Maple frames are encoded and decoded without sockets, on the main thread.

  Logins, rooms and the first game of a size make what is kept for the next. The server has no
  background work yet, such as telling master lists who is there, so none is counted.

Sites:
  --sites shows the server's allocations to dhat, which remembers the stack of each, and prints
  the innermost functions of the server's own code that asked for most. That is slow and takes
  memory, so the times and the resident memory of such a run mean nothing. The whole profile
  stays where dhat says, and can be opened in its viewer (dh_view.html).

Examples:
  samara-allocs                                  the phases, 16 users
  samara-allocs phases --sites=logins            who allocates when a user logs in again
  samara-allocs reference --speed 100            54,000 inputs in nine seconds
  samara-allocs reference                        the same in a quarter of an hour

Exit status:
  0 when no steady phase allocated, 1 when one did or the run failed, 2 when an option is wrong.";

const REFERENCE: &str = "\
One server and one player, who is in a game for 15 minutes at 60 inputs per second: what the
server allocates from its start to its end, its processor time and its memory.

The figures next to it are those that the author of a server that runs on the JVM gave for the
same game before and during its rewrite: bytes allocated in all, and processor time. He took them
on a machine of his own, so its seconds say nothing next to ours.

Processor time is that of the server's threads (and of the main thread while it starts the
server) until the server is told to stop. At a higher --speed the same messages take less of it:
the server sleeps and wakes less often. The resident peak is that of the whole process, so the
user is in it; what it was before the server started is told, too.";

/// Says what the server allocates, phase by phase and for each message.
#[derive(Debug, Parser)]
#[command(name = "samara-allocs", version, after_help = NOTES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

/// What to run.
#[derive(Clone, Debug, PartialEq, Subcommand)]
pub(crate) enum Command {
    /// Logins, chat, rooms and games, one after the other; this is what happens without a command
    #[command(after_help = NOTES)]
    Phases(Phases),
    /// One player in a game for 15 minutes, and what other servers need for it
    #[command(long_about = REFERENCE, after_help = NOTES)]
    Reference(Reference),
}

/// Options of `phases`.
#[derive(Clone, Debug, PartialEq, Args)]
pub(crate) struct Phases {
    /// Users
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u32).range(8..=100))]
    pub(crate) users: u32,
    /// Inputs of each player in each game
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = clap::value_parser!(u32).range(2..=100_000))]
    pub(crate) inputs: u32,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// Options of `reference`.
#[derive(Clone, Debug, PartialEq, Args)]
pub(crate) struct Reference {
    /// How many times as fast as a real game; no faster than the server answers
    #[arg(long, value_name = "N", default_value_t = 1.0, value_parser = speed)]
    pub(crate) speed: f64,
    /// How long the game is for its player, such as 15m, 30s or 500ms; at most an hour
    #[arg(long, value_name = "TIME", default_value = "15m", value_parser = duration)]
    pub(crate) duration: Duration,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// What both have.
#[derive(Clone, Debug, PartialEq, Args)]
pub(crate) struct Output {
    #[command(flatten)]
    pub(crate) threads: Threads,
    /// Write the figures to a file, too
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Tell which places in the code allocate: in the whole run, or in one phase
    #[arg(long, value_name = "PHASE", num_args = 0..=1, require_equals = true)]
    pub(crate) sites: Option<Option<String>>,
}

/// How the server shares its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Args)]
pub(crate) struct Threads {
    /// The server's threads for the network; 0 is half the cores, as by default
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = threads())]
    pub(crate) loops: usize,
    /// Its threads for users and games; with 0 the network threads do it, as by default
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = threads())]
    pub(crate) workers: usize,
}

impl Cli {
    /// What to run; the phases if nothing is said.
    pub(crate) fn command(self) -> Command {
        self.command.unwrap_or(Command::Phases(Phases {
            users: 16,
            inputs: 2000,
            output: Output {
                threads: Threads {
                    loops: 0,
                    workers: 0,
                },
                json: None,
                sites: None,
            },
        }))
    }
}

impl Reference {
    /// Inputs in all.
    pub(crate) fn inputs(&self) -> u32 {
        (self.duration.as_millis() * u128::from(PER_SECOND) / 1000) as u32
    }
}

fn threads() -> impl clap::builder::TypedValueParser<Value = usize> {
    clap::builder::RangedU64ValueParser::<usize>::new().range(..=MAX_THREADS as u64)
}

fn speed(text: &str) -> Result<f64, String> {
    let speed: f64 = text.parse().map_err(|_| "a number such as 1 or 100")?;
    if (0.1..=1e6).contains(&speed) {
        Ok(speed)
    } else {
        Err("between 0.1 and 1000000".into())
    }
}

fn duration(text: &str) -> Result<Duration, String> {
    let duration = crate::duration::time(text)?;
    if duration < Duration::from_millis(100) || duration > LONGEST {
        return Err("a game takes between 100 ms and an hour".into());
    }
    Ok(duration)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Command, clap::Error> {
        let words = ["samara-allocs"].into_iter().chain(line.split_whitespace());
        Cli::try_parse_from(words).map(Cli::command)
    }

    fn reference(line: &str) -> Reference {
        match parse(line) {
            Ok(Command::Reference(reference)) => reference,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_command_line_is_sound() {
        use clap::CommandFactory;
        <Cli as CommandFactory>::command().debug_assert();
    }

    #[test]
    fn nothing_is_the_phases_with_their_defaults() {
        assert_eq!(parse("").unwrap(), parse("phases").unwrap());
    }

    #[test]
    fn the_reference_is_a_quarter_of_an_hour() {
        let plain = reference("reference");
        assert_eq!((plain.speed, plain.inputs()), (1.0, 54_000));
        let short = reference("reference --speed 100 --duration 2s --json out.json");
        assert_eq!((short.speed, short.inputs()), (100.0, 120));
        assert_eq!(short.output.json, Some("out.json".into()));
    }

    #[test]
    fn sites_are_of_everything_or_of_a_phase() {
        let sites = |line| reference(line).output.sites;
        assert_eq!(sites("reference"), None);
        assert_eq!(sites("reference --sites"), Some(None));
        assert_eq!(sites("reference --sites=login"), Some(Some("login".into())));
    }

    #[test]
    fn refuses_what_makes_no_sense() {
        for line in [
            "phases --users 7",
            "phases --users 101",
            "phases --inputs 1",
            "phases --loops 65",
            "reference --speed 0",
            "reference --speed NaN",
            "reference --duration 61m",
            "reference --duration 3h",
            "reference --duration 99ms",
            "reference --users 2",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}

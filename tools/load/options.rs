//! The command line.

use clap::{Args, Parser, Subcommand};
use samara::kaillera::message::{ConnectionType, MAX_INPUT};
use std::{net::SocketAddr, num::ParseIntError, time::Duration};

/// Longest run; nothing here goes on for ever.
const LONGEST: Duration = Duration::from_secs(3600);

const NOTES: &str = "\
What is measured:
  Inputs are due at fixed times, whether or not the server keeps up: an input that had to wait
  for the frames before it counts from when it was due. A round trip ends when the frame is
  received. The added delay of a frame begins when the last of its players' inputs has left,
  so it is what the server and both ways through the system's sockets take.
  Late is a frame received more than one frame's time after its last input was due.
  Lost is a frame that never came, or a gap in what the server sent.
  How late this program itself sends is told too: if that is not small, the machine is too
  busy for the other times to mean much. Each of its threads keeps one core busy, and is one
  socket that speaks for its users from addresses in 127.0.0.0/8, which only Linux can do.

Before it counts:
  Users log in one after the other, and a room's game starts as soon as the room is full.
  The run begins when all games do.

Examples:
  samara-load kaillera                               100 users in rooms of 2 for 10 seconds
  samara-load kaillera --users 1000 --duration 30s --pid $(pidof samara)
  samara-load kaillera --users 96 --players 8 --conn 3 --target 127.0.0.1:27888

Exit status:
  0 when every frame came and nobody was dropped, 1 otherwise, 2 when an option is wrong.";

/// Puts a game server on this machine under the load of many players.
#[derive(Debug, Parser)]
#[command(name = "samara-load", version, after_help = NOTES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Whose players.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Players of emulators, in lockstep games
    #[command(after_help = NOTES)]
    Kaillera(Load),
}

/// The players of one run.
#[derive(Clone, Debug, PartialEq, Args)]
pub(crate) struct Load {
    /// Users, in rooms that are all full
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=20_000))]
    pub(crate) users: u32,
    /// Players in each room
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=8))]
    pub(crate) players: u32,
    /// Connection type, 1 (LAN, 60 inputs per second) to 6 (bad, 10 per second)
    #[arg(long, value_name = "TYPE", default_value = "1", value_parser = connection_type)]
    pub(crate) conn: ConnectionType,
    /// How long to play and measure, such as 30s, 2m or 500ms; at most an hour
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = duration)]
    pub(crate) duration: Duration,
    /// The server, which has to be on this machine and listen on IPv4
    #[arg(long, value_name = "IP:PORT", default_value = "127.0.0.1:27888", value_parser = target)]
    pub(crate) target: SocketAddr,
    /// Users that log in per second
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) login_rate: u32,
    /// Bytes of input per frame and player
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=(MAX_INPUT as i64 / 6)))]
    pub(crate) input: u32,
    /// Inputs in a hundred that are held from the one before, and so travel as one byte
    #[arg(long, value_name = "N", default_value_t = 70, value_parser = clap::value_parser!(u32).range(0..=100))]
    pub(crate) held: u32,
    /// Threads of this program
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=64))]
    pub(crate) threads: u32,
    /// Decides the inputs and when each room starts
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// The server's process, to report what it takes
    #[arg(long, value_name = "PID")]
    pub(crate) pid: Option<u32>,
}

impl Load {
    /// How many rooms; users that would not fill one are left out.
    pub(crate) fn rooms(&self) -> u32 {
        self.users / self.players
    }

    /// How many users take part.
    pub(crate) fn seated(&self) -> u32 {
        self.rooms() * self.players
    }
}

fn connection_type(text: &str) -> Result<ConnectionType, String> {
    let number = text.parse().ok().and_then(ConnectionType::from_byte);
    number.ok_or_else(|| "a connection type is a number from 1 to 6".into())
}

fn target(text: &str) -> Result<SocketAddr, String> {
    let address: SocketAddr = text
        .parse()
        .map_err(|_| "an address is like 127.0.0.1:27888")?;
    // Each user has a loopback address of its own, of which IPv6 has only one.
    if !address.is_ipv4() || !address.ip().is_loopback() {
        return Err("only a server at 127.x.x.x may be put under load".into());
    }
    if address.port() == 0 {
        return Err("port 0 is none".into());
    }
    Ok(address)
}

fn duration(text: &str) -> Result<Duration, String> {
    let at = text.find(|it: char| !it.is_ascii_digit());
    let (number, unit) = text.split_at(at.unwrap_or(text.len()));
    let number: u64 = number
        .parse()
        .map_err(|error: ParseIntError| error.to_string())?;
    let millis = match unit {
        "ms" => 1,
        "s" | "" => 1000,
        "m" => 60_000,
        _ => return Err("the units are ms, s and m".into()),
    };
    let duration = Duration::from_millis(number.saturating_mul(millis));
    if duration.is_zero() || duration > LONGEST {
        return Err("a run takes between 1 ms and an hour".into());
    }
    Ok(duration)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Load, clap::Error> {
        let words = ["samara-load", "kaillera"].into_iter();
        Cli::try_parse_from(words.chain(line.split_whitespace())).map(|cli| {
            let Command::Kaillera(load) = cli.command;
            load
        })
    }

    #[test]
    fn the_command_line_is_sound() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }

    #[test]
    fn reads_a_whole_line() {
        let line =
            "--users 1000 --players 3 --conn 3 --duration 30s --target 127.0.0.2:27900 --pid 7";
        let load = parse(line).unwrap();
        assert_eq!(load.conn, ConnectionType::Good);
        assert_eq!(load.duration, Duration::from_secs(30));
        assert_eq!(load.target, SocketAddr::from(([127, 0, 0, 2], 27900)));
        assert_eq!(load.pid, Some(7));
        assert_eq!((load.rooms(), load.seated()), (333, 999));
    }

    #[test]
    fn defaults_are_a_small_run() {
        let load = parse("").unwrap();
        assert_eq!((load.users, load.players, load.held), (100, 2, 70));
        assert_eq!(load.target, SocketAddr::from(([127, 0, 0, 1], 27888)));
    }

    #[test]
    fn other_machines_are_left_alone() {
        for target in [
            "192.0.2.1:27888",
            "0.0.0.0:27888",
            "[2001:db8::1]:27888",
            "[::1]:27888",
        ] {
            assert!(parse(&format!("--target {target}")).is_err(), "{target}");
        }
        assert!(parse("--target 127.8.8.8:27888").is_ok());
    }

    #[test]
    fn refuses_what_makes_no_sense() {
        for line in [
            "--users 0",
            "--players 9",
            "--conn 7",
            "--conn 0",
            "--held 101",
            "--duration 0s",
            "--duration 61m",
            "--duration 3h",
            "--duration -1s",
            "--target 127.0.0.1:0",
            "--input 0",
            "--input 342",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
    }

    #[test]
    fn durations_have_units() {
        for (text, millis) in [
            ("5", 5000),
            ("250ms", 250),
            ("2m", 120_000),
            ("60m", 3_600_000),
        ] {
            assert_eq!(duration(text), Ok(Duration::from_millis(millis)), "{text}");
        }
    }
}

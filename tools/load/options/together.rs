//! What clients of two protocols are asked to do at the same time.

use super::{Clients, Limits, Logins, Output, Play, Rate, Talk, values};
use crate::{client::Inputs, measure::Observed};
use clap::Args;
use std::{net::SocketAddr, path::PathBuf};

/// Players and Maple sessions, each alone and both at once.
#[derive(Clone, Debug, Args)]
pub(crate) struct Together {
    /// How often each is measured alone and both at once, in turns
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=20))]
    pub(crate) rounds: u32,
    /// Maple sessions
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=5_000))]
    pub(crate) sessions: u32,
    /// Packets per second of all sessions together, at most 1000000, or `max`: as many as are
    /// answered
    #[arg(long, value_name = "N", default_value = "5000", value_parser = values::rate)]
    pub(crate) rate: Rate,
    #[command(flatten)]
    pub(crate) talk: Talk,
    /// The `samara` to start [default: the one beside this program]
    #[arg(long, value_name = "FILE")]
    pub(crate) server: Option<PathBuf>,
    /// Its event loops, 0 to 64; 0 is half the cores
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=64))]
    pub(crate) loops: u32,
    /// A server of this machine that runs already; its gateway leads to --world
    #[arg(long, value_name = "HOST:PORT", value_parser = values::target)]
    #[arg(requires = "world", conflicts_with_all = ["server", "loops"])]
    pub(crate) target: Option<SocketAddr>,
    /// Where that server's gateway finds the world that answers: `login` of its configuration
    #[arg(long, value_name = "HOST:PORT", requires = "target", value_parser = values::target)]
    pub(crate) world: Option<SocketAddr>,
    /// That server's process, to report what it takes; on Linux
    #[arg(long, value_name = "PID", requires = "target")]
    pid: Option<u32>,
    #[command(flatten)]
    pub(crate) clients: Clients,
    #[command(flatten)]
    pub(crate) logins: Logins,
    #[command(flatten)]
    pub(crate) play: Play,
    #[command(flatten)]
    pub(crate) limits: Limits,
    #[command(flatten)]
    pub(crate) output: Output,
}

impl Together {
    /// Whom to look at, if it is not ours.
    pub(crate) fn observed(&self) -> Option<Observed> {
        self.pid.map(Observed::Process)
    }

    pub(super) fn check(&self) -> Result<Inputs, String> {
        for address in self.target.iter().chain(&self.world) {
            if !address.ip().is_loopback() {
                return Err(format!("{address} is not on this machine"));
            }
        }
        let (users, players) = (self.clients.users, self.play.players);
        if users < players {
            return Err(format!("{users} users do not fill a room of {players}"));
        }
        self.play.inputs()
    }
}

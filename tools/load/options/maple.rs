//! What Maple clients are asked to do.

use super::{Clients, Limits, Output, Rate, values};
use crate::{
    maple::{LEAST, Through},
    measure::Observed,
};
use clap::Args;
use std::net::SocketAddr;

/// Maple sessions.
#[derive(Clone, Debug, Args)]
pub(crate) struct Maple {
    /// What is between the clients and the world that answers them
    #[arg(long, value_enum, default_value = "gateway")]
    pub(crate) through: Through,
    /// Takes turns with the bare relay, so many times each, and compares
    #[arg(long, value_name = "N", conflicts_with = "target", value_parser = clap::value_parser!(u32).range(1..=20))]
    pub(crate) rounds: Option<u32>,
    /// A server of this machine that says back what it hears, in place of those inside this
    /// program
    #[arg(long, value_name = "HOST:PORT", value_parser = values::target)]
    pub(crate) target: Option<SocketAddr>,
    /// That server's process, to report what it takes; on Linux
    #[arg(long, value_name = "PID", requires = "target")]
    pid: Option<u32>,
    /// Packets per second of all together, at most 1000000, or `max`: as many as are answered
    #[arg(long, value_name = "N", default_value = "max", value_parser = values::rate)]
    pub(crate) rate: Rate,
    #[command(flatten)]
    pub(crate) talk: Talk,
    /// Packets whose keystreams the gateway makes ahead, on each of four streams per client
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=64))]
    pub(crate) ahead: u32,
    /// Bytes of each of these keystreams
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(16..=1460))]
    pub(crate) ahead_bytes: u32,
    #[command(flatten)]
    pub(crate) clients: Clients,
    #[command(flatten)]
    pub(crate) limits: Limits,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// What each packet is.
#[derive(Clone, Debug, Args)]
pub(crate) struct Talk {
    /// Packets that each client has under way with `--rate max`
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) window: u32,
    /// Bytes of each packet
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = clap::value_parser!(u32).range(LEAST as i64..=32_768))]
    pub(crate) size: u32,
    /// Each packet goes to all clients
    #[arg(long)]
    pub(crate) broadcast: bool,
}

impl Maple {
    /// Whom to look at, if it is not inside this program.
    pub(crate) fn observed(&self) -> Option<Observed> {
        self.pid.map(Observed::Process)
    }

    pub(super) fn check(&self) -> Result<(), String> {
        match self.target {
            Some(target) if !target.ip().is_loopback() => {
                Err(format!("{target} is not on this machine"))
            }
            _ if self.rounds.is_some() && self.through == Through::Relay => {
                Err("--rounds needs something else to compare with the relay".to_owned())
            }
            _ => Ok(()),
        }
    }
}

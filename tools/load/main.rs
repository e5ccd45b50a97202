//! The `samara-load` binary: many players on one server, and what it makes of them.
//!
//! The way of an input: the [`schedule`] says when it is due and [`play`] whether it may be
//! sent, the [`swarm`] lets the [`player`] it belongs to say it on the [`wire`], the [`room`]
//! knows when the last one of its frame left, and what comes back is noted in a [`tally`];
//! the [`lines`] prints the sum.

#![forbid(unsafe_code)]

mod lines;
mod options;
mod play;
mod player;
mod process;
#[allow(dead_code, reason = "filled by the driver and the reports")]
mod record;
mod report;
mod room;
mod run;
mod schedule;
mod swarm;
mod tally;
mod wire;

use clap::Parser;
use options::{Cli, Command};
use std::process::ExitCode;

fn main() -> ExitCode {
    let Command::Kaillera(load) = Cli::parse().command;
    match run::run(&load) {
        Ok(outcome) => {
            print!("{}", lines::Report(&outcome));
            if outcome.is_clean() {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            }
        }
        Err(error) => {
            eprintln!("samara-load: {error}");
            ExitCode::FAILURE
        }
    }
}

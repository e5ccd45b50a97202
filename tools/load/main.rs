//! The `samara-load` binary: many players on one server, and what it makes of them.
//!
//! The way of an input: [`schedule`] says when it is due, a [`swarm`] sends it through the
//! [`player`] it belongs to, the [`room`] knows when the last one of its frame left, and what
//! comes back is noted in a [`tally`]; [`report`] prints the sum.

#![forbid(unsafe_code)]

mod options;
mod player;
mod process;
mod report;
mod room;
mod run;
mod schedule;
mod swarm;
mod tally;

use clap::Parser;
use options::{Cli, Command};
use std::process::ExitCode;

fn main() -> ExitCode {
    let Command::Kaillera(load) = Cli::parse().command;
    match run::run(&load) {
        Ok(outcome) => {
            print!("{}", report::Report(&outcome));
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

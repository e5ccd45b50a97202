//! The `samara-allocs` binary: what the server asks of the heap, and for what.
//!
//! A [`workload`] is one phase of a script, done by [`user`]s alone or together in a [`game`] at
//! a [`pace`]; the [`stage`] has the server and counts what it asks of the [`counting`]
//! allocator meanwhile; [`mod@run`] goes through a script and makes a [`record`], which the
//! [`report`] prints. Where memory is asked for is found by [`sites`].

#![deny(unsafe_code)]

#[expect(dead_code, reason = "the test of the server uses more of it")]
mod counting;
#[path = "../duration.rs"]
mod duration;
mod game;
mod options;
mod pace;
#[path = "../load/player.rs"]
#[expect(dead_code, reason = "the load tool uses more of it")]
mod player;
mod record;
mod report;
mod run;
mod sites;
mod stage;
mod usage;
mod user;
mod workload;

use clap::Parser;
use options::{Cli, Command};
use record::Record;
use std::{fs, path::Path, process::ExitCode};
use user::Failure;

#[global_allocator]
static COUNTING: counting::Counting = counting::Counting;

fn main() -> ExitCode {
    counting::drive();
    let command = Cli::parse().command();
    match run(&command) {
        Ok(record) if record.phases.iter().any(|phase| phase.is_broken()) => ExitCode::FAILURE,
        Ok(_) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("samara-allocs: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: &Command) -> Result<Record, Failure> {
    let (record, output) = match command {
        Command::Phases(options) => (run::phases(options)?, &options.output),
        Command::Reference(options) => (run::reference(options)?, &options.output),
    };
    print!("{}", report::Report(&record));
    if let Some(file) = &output.json {
        write(&record, file)?;
    }
    Ok(record)
}

fn write(record: &Record, file: &Path) -> Result<(), Failure> {
    let failed = |error: &dyn std::fmt::Display| Failure(format!("{}: {error}", file.display()));
    let text = serde_json::to_string_pretty(record).map_err(|error| failed(&error))?;
    fs::write(file, text + "\n").map_err(|error| failed(&error))
}

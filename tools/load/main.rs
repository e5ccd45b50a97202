//! The `samara-load` binary: many clients on one server, and what it makes of them.
//!
//! ```text
//!   options     what is asked for
//!      |
//!      v
//!   scenario    builds a crowd of clients per thread: games, churn, lobby, idle, pings, noise
//!      |          maple: clients over TCP, and what is between them and a world
//!      |          together: both, at a server in a process of its own
//!      |          rounds: several setups in turns
//!      v
//!   run         starts the threads, says when it counts  ->  watch: looks once a second, progress
//!      |
//!      v
//!   crowd       one thread: what is due leaves, what has come is handed out  <->  wire
//!      |          client: greets, logs in, plays;  measure: tallies and histograms
//!      v
//!   record      what it came to  ->  report: table, JSON, page, comparison
//! ```
//!
//! The way of an input: the schedule says when it is due and the play whether it may be sent,
//! the visitor it belongs to says it on the wire, the room knows when the last one of its frame
//! left, and what comes back is noted in a tally.

#![forbid(unsafe_code)]

mod client;
mod crowd;
#[path = "../duration.rs"]
mod duration;
mod maple;
mod measure;
mod options;
mod player;
mod progress;
mod record;
mod report;
mod rounds;
mod run;
mod scenario;
mod server;
mod watch;
mod wire;

use options::{Asked, Command, Compare, Output};
use scenario::Report;
use std::{env, io, process::ExitCode};

fn main() -> ExitCode {
    let asked = match options::parse(env::args_os()) {
        Ok(asked) => asked,
        Err(error) => error.exit(),
    };
    let done = match (&asked.command, asked.command.output()) {
        (Command::Compare(files), _) => compare(files),
        (_, output) => run(&asked, output),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("samara-load: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs a scenario and reports on it; says whether it was as it should be.
fn run(asked: &Asked, output: Option<&Output>) -> io::Result<bool> {
    let Report { record, held } = scenario::run(asked)?;
    print!("{}", report::table(&record));
    if let Some(file) = output.and_then(|it| it.json.as_deref()) {
        report::write_json(&record, file)?;
    }
    if let Some(file) = output.and_then(|it| it.html.as_deref()) {
        report::write_html(&record, file)?;
    }
    Ok(held)
}

fn compare(files: &Compare) -> io::Result<bool> {
    let before = report::read_json(&files.before)?;
    let after = report::read_json(&files.after)?;
    print!("{}", report::compare(&before, &after));
    if let Some(file) = &files.html {
        report::write_comparison(&before, &after, file)?;
    }
    Ok(true)
}

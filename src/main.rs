//! The `samara` binary: command line in, exit status out.

#![forbid(unsafe_code)]

mod cli;

use clap::Parser;
use cli::{Check, Cli, Command, Serve};
use samara::{
    config::{Config, ConfigErrors},
    server,
};
use std::{
    io::{self, Write},
    process::ExitCode,
};

/// Also what clap exits with.
const WRONG_USE: u8 = 2;

fn main() -> ExitCode {
    match Cli::parse().command() {
        Command::Serve(options) => serve(options),
        Command::Check(options) => check(&options),
    }
}

fn serve(options: Serve) -> ExitCode {
    let config = match options.config() {
        Ok(config) => config,
        Err(errors) => return refuse(&errors),
    };
    start_log(&config.log);
    for warning in config.warnings() {
        log::warn!("{warning}");
    }
    match server::run(config) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("samara: {error}");
            ExitCode::FAILURE
        }
    }
}

fn check(options: &Check) -> ExitCode {
    let config = match Config::load(&options.config) {
        Ok(config) => config,
        Err(errors) => return refuse(&errors),
    };
    let file = options.config.display();
    let warnings: String = config
        .warnings()
        .iter()
        .map(|text| format!("{file}: warning: {text}\n"))
        .collect();
    match write!(io::stdout(), "{warnings}{file}: ok\n{}\n", config.summary()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn refuse(errors: &ConfigErrors) -> ExitCode {
    eprintln!("{errors}");
    ExitCode::from(WRONG_USE)
}

fn start_log(filter: &str) {
    let mut builder = match filter {
        "" => env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("info")),
        filter => {
            let mut builder = env_logger::Builder::new();
            builder.parse_filters(filter);
            builder
        }
    };
    builder
        .format_timestamp_millis()
        .target(env_logger::Target::Stderr)
        .init();
}

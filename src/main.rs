//! The `samara` binary: command line in, exit status out.

#![forbid(unsafe_code)]

mod cli;

use clap::Parser;
use cli::{Check, Cli, Command, Import, Serve, Setup, Source, health};
use samara::{
    config::{
        Config, ConfigError, ConfigErrors,
        setup::{self, Outcome, SetupError},
    },
    server::{self, Log, StartError},
};
use std::{
    fs::File,
    io::{self, Write},
    process::ExitCode,
};

/// Also what clap exits with.
const WRONG_USE: u8 = 2;

fn main() -> ExitCode {
    match Cli::parse().command() {
        Command::Serve(options) => serve(options),
        Command::Check(options) => check(&options),
        Command::Import(options) => import(&options),
        Command::Setup(options) => ask(&options),
        Command::Health(options) => match health::ask(&options.address) {
            Ok(()) => ExitCode::SUCCESS,
            Err(why) => {
                eprintln!("samara: {why}");
                ExitCode::FAILURE
            }
        },
    }
}

fn serve(options: Serve) -> ExitCode {
    let config = match options.config() {
        Ok(config) => config,
        Err(errors) => return refuse(&errors),
    };
    let log = match Log::start(&config.log) {
        Ok(log) => log,
        Err(error) => return fail(&error),
    };
    config.log_warnings();
    let source = move || {
        let config = options.config()?;
        log.set(&config.log);
        Ok(config)
    };
    let has_file = config.log.file.is_some();
    let outcome = server::run(config, Box::new(source));
    if let Err(error) = &outcome
        && has_file
    {
        log::error!("{error}");
    }
    log.finish();
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&error),
    }
}

fn check(options: &Check) -> ExitCode {
    let config = match options.source.load() {
        Ok(config) => config,
        Err(errors) => return refuse(&errors),
    };
    let source = options.source.path().display();
    let notices = config.notices.iter().map(|text| format!("{text}\n"));
    let told: String = warnings(&options.source, &config).chain(notices).collect();
    if !config.left_out.is_empty() {
        eprint!("{told}");
        let lines = config.left_out.iter().map(ConfigError::to_string);
        eprintln!("{}", lines.collect::<Vec<_>>().join("\n"));
        return ExitCode::from(WRONG_USE);
    }
    match write!(io::stdout(), "{told}{source}: ok\n{}\n", config.summary()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn import(options: &Import) -> ExitCode {
    let text = match Config::import_emulinker(&options.directory) {
        Ok(text) => text,
        Err(errors) => return refuse(&errors),
    };
    let written = match &options.output {
        Some(path) => File::create_new(path).and_then(|mut file| file.write_all(text.as_bytes())),
        None => io::stdout().write_all(text.as_bytes()),
    };
    match (written, &options.output) {
        (Ok(()), _) => ExitCode::SUCCESS,
        (Err(error), Some(path)) => {
            eprintln!("samara: cannot write {}: {error}", path.display());
            ExitCode::FAILURE
        }
        (Err(_), None) => ExitCode::FAILURE,
    }
}

fn ask(options: &Setup) -> ExitCode {
    let target = options.target();
    let outcome = setup::setup(&target, &mut io::stdin().lock(), &mut io::stdout());
    let source = Source::from(target);
    match outcome {
        Ok(Outcome::Complete) => println!("{}: nothing to ask", source.path().display()),
        Ok(Outcome::Unanswered) => println!("nothing was written"),
        Ok(Outcome::Ended) => {
            eprintln!("samara: the input ended early; nothing was written");
            return ExitCode::FAILURE;
        }
        Ok(Outcome::Written(path)) => {
            println!("{}: written", path.display());
            // What else may be wrong is for `check` to say.
            if let Ok(config) = source.load() {
                warnings(&source, &config).for_each(|line| print!("{line}"));
            }
        }
        Err(SetupError::Mistakes(errors)) => return refuse(&errors),
        Err(error) => {
            eprintln!("samara: {error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// What will surprise someone, one line each.
fn warnings(source: &Source, config: &Config) -> impl Iterator<Item = String> {
    let source = source.path().display().to_string();
    let warnings = config.warnings().into_iter();
    warnings.map(move |text| format!("{source}: warning: {text}\n"))
}

fn fail(error: &StartError) -> ExitCode {
    eprintln!("samara: {error}");
    ExitCode::FAILURE
}

fn refuse(errors: &ConfigErrors) -> ExitCode {
    eprintln!("{errors}");
    ExitCode::from(WRONG_USE)
}

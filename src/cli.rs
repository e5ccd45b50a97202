//! The command line.

pub(crate) mod health;

use clap::{
    Args, Parser, Subcommand,
    builder::{RangedU64ValueParser, TypedValueParser},
};
use samara::{
    config::{Config, ConfigErrors, LOG_FILTERS, is_log_filter, setup::Target},
    service::kaillera::MAX_THREADS,
};
use std::{
    net::IpAddr,
    path::{Path, PathBuf},
};

const EXAMPLES: &str = "\
Examples:
  samara                                        serve on port 27888 of every address
  samara serve --bind 192.0.2.7 --port 27900    serve on one address and another port
  samara serve --config samara.toml             serve as a file says
  samara check --config samara.toml             find every mistake in a file
  samara serve --emulinker conf/                serve what an EmuLinker-K server served
  samara import conf/ --output samara.toml      write the same as a file of ours
  samara setup                                  answer what a new server is asked
  samara health 127.0.0.1:27900                 ask a running server whether it is well

Trying it:
  Start samara, open an emulator's Kaillera window and add the server by address, as IP:PORT:
  127.0.0.1:27888 on the same machine. Players elsewhere need the UDP port open in the firewall
  and, behind a router, forwarded. http://127.0.0.1:27888/health answers over TCP.

Log:
  Goes to standard error, with UTC times, and to the file of --log-file or log.file. What is logged
  is said by --log, or else by the configuration, or else by the environment variable RUST_LOG;
  without any of them it is info. Addresses are shortened, and what people say is left out, unless
  the configuration says otherwise.

Signals:
  Ctrl+C (SIGINT) or SIGTERM stops the server in good order, after the games that run if the file
  says so (shutdown.drain_s); a second one stops it at once.
  SIGHUP reads the configuration again, and so does a change of one of its files; the log says
  what counts only from the next start on. A file with mistakes changes nothing.

Exit status:
  0 when all went well, 1 when the server failed or is not well, 2 when an option or the file is wrong.";

/// A Kaillera netplay server, with services for Maple and Minecraft on the same port.
#[derive(Debug, Parser)]
#[command(
    name = "samara",
    version,
    long_about = "A Kaillera netplay server, with services for Maple and Minecraft on the same port.\n\n\
        Players' emulators meet in its lobby, open rooms and play together; the server keeps \
        everybody's inputs in step. Without a command it serves, on defaults that suit a public \
        server.",
    after_help = EXAMPLES
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run the server; this is what happens without a command
    Serve(Serve),
    /// Check a configuration file, say what it would serve, and serve nothing
    Check(Check),
    /// Write the directory of an EmuLinker-K server as a configuration file
    Import(Import),
    /// Ask for what only the operator knows, and write the answers into the configuration
    ///
    /// Asked is what is missing or blank: name, location, language, character set, and whether the
    /// public lists are told. Everything else in the file stays as it is. Nothing is written if
    /// the input ends before the last answer.
    Setup(Setup),
    /// Ask a running server whether it is well: exit status 0 if it is, 1 if not
    Health(Health),
}

/// Options of `serve`; each one that is given wins over the file.
#[derive(Debug, Default, Args)]
pub(crate) struct Serve {
    /// Address to listen on; repeat it for several [default: 0.0.0.0 and ::]
    #[arg(long, value_name = "ADDR")]
    bind: Vec<IpAddr>,
    /// Port, UDP and TCP; 0 is any free one [default: 27888]
    #[arg(long, value_name = "N")]
    port: Option<u16>,
    /// Threads for the network, 0 to 64; 0 is half the cores [default: 0]
    #[arg(long, value_name = "N", value_parser = threads())]
    loops: Option<usize>,
    /// Threads for users and games, 0 to 64; with 0 the network threads do it [default: 0]
    #[arg(long, value_name = "N", value_parser = threads())]
    workers: Option<usize>,
    /// Configuration file, in TOML
    #[arg(long, value_name = "FILE", conflicts_with = "emulinker")]
    config: Option<PathBuf>,
    /// Directory of an EmuLinker-K server, with its emulinker.cfg, access.cfg and
    /// language.properties
    #[arg(long, value_name = "DIR")]
    emulinker: Option<PathBuf>,
    /// What to log: a level, or target=level, several separated by commas
    /// [default: RUST_LOG, or info]
    #[arg(long, value_name = "FILTER", value_parser = log_filter)]
    log: Option<String>,
    /// A file that has the log, beside standard error [default: none]
    #[arg(long, value_name = "FILE")]
    log_file: Option<PathBuf>,
    /// Log nothing to standard error
    #[arg(long)]
    quiet: bool,
}

/// Options of `check`.
#[derive(Debug, Args)]
pub(crate) struct Check {
    #[command(flatten)]
    pub(crate) source: Source,
}

/// What is checked: one of the two.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct Source {
    /// Configuration file, in TOML
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Directory of an EmuLinker-K server
    #[arg(long, value_name = "DIR")]
    emulinker: Option<PathBuf>,
}

/// Options of `import`.
#[derive(Debug, Args)]
pub(crate) struct Import {
    /// Directory of an EmuLinker-K server
    #[arg(value_name = "DIR")]
    pub(crate) directory: PathBuf,
    /// File to write, which must not exist yet [default: standard output]
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// Options of `setup`.
#[derive(Debug, Args)]
pub(crate) struct Setup {
    /// Configuration file, which need not exist yet [default: samara.toml]
    #[arg(value_name = "FILE", conflicts_with = "emulinker")]
    file: Option<PathBuf>,
    /// Directory of an EmuLinker-K server
    #[arg(long, value_name = "DIR")]
    emulinker: Option<PathBuf>,
}

/// Options of `health`.
#[derive(Debug, Args)]
pub(crate) struct Health {
    /// Address and port of the server, its port alone, or where its pages are
    #[arg(value_name = "ADDR", default_value = health::USUAL)]
    pub(crate) address: String,
}

impl Cli {
    /// What to do; `serve` if nothing is said.
    pub(crate) fn command(self) -> Command {
        self.command
            .unwrap_or_else(|| Command::Serve(Serve::default()))
    }
}

impl From<Target> for Source {
    fn from(target: Target) -> Self {
        match target {
            Target::Emulinker(directory) => Self {
                config: None,
                emulinker: Some(directory),
            },
            Target::Native(file) => Self {
                config: Some(file),
                emulinker: None,
            },
        }
    }
}

impl Source {
    pub(crate) fn load(&self) -> Result<Config, ConfigErrors> {
        match (&self.config, &self.emulinker) {
            (_, Some(directory)) => Config::load_emulinker(directory),
            (Some(path), None) => Config::load(path),
            (None, None) => Ok(Config::default()),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        let path = self.config.as_deref().or(self.emulinker.as_deref());
        path.unwrap_or(Path::new(""))
    }
}

impl Setup {
    /// Whose values are asked for.
    pub(crate) fn target(&self) -> Target {
        match (&self.file, &self.emulinker) {
            (_, Some(directory)) => Target::Emulinker(directory.clone()),
            (Some(file), None) => Target::Native(file.clone()),
            (None, None) => Target::Native("samara.toml".into()),
        }
    }
}

impl Serve {
    /// The configuration to serve: the file's, or the defaults, with the options put over it.
    pub(crate) fn config(&self) -> Result<Config, ConfigErrors> {
        let mut config = match (&self.config, &self.emulinker) {
            (_, Some(directory)) => Config::load_emulinker(directory)?,
            (Some(path), None) => Config::load(path)?,
            (None, None) => Config::default(),
        };
        if !self.bind.is_empty() {
            config.net.set_bind(self.bind.iter().copied());
        }
        config.net.port = self.port.unwrap_or(config.net.port);
        config.net.loops = self.loops.unwrap_or(config.net.loops);
        config.net.workers = self.workers.unwrap_or(config.net.workers);
        config.log.filter = self.log.clone().unwrap_or(config.log.filter);
        config.log.console &= !self.quiet;
        config.log.file = self.log_file.clone().or(config.log.file);
        Ok(config)
    }
}

fn threads() -> impl TypedValueParser<Value = usize> {
    RangedU64ValueParser::<usize>::new().range(..=MAX_THREADS as u64)
}

fn log_filter(text: &str) -> Result<String, String> {
    if is_log_filter(text) {
        Ok(text.to_owned())
    } else {
        Err(format!("valid: {LOG_FILTERS}"))
    }
}

#[cfg(test)]
mod tests;

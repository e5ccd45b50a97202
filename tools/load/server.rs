//! A server in a process of its own.

use std::{
    env, fs,
    io::{self, BufRead, BufReader},
    net::SocketAddr,
    path::{Path, PathBuf},
    process::{self, Child, ChildStderr, Command, Stdio},
    thread,
};

/// What the server's log says before its address.
const LISTENING: &str = "listening on udp ";
/// Nothing of single clients, which would cost the server time.
const LOG: &str = "warn,samara::server=info";

/// A running `samara`; it ends when this is dropped.
pub(crate) struct ServerProcess {
    child: Child,
    pub(crate) address: SocketAddr,
}

impl ServerProcess {
    /// Starts `program`, or the `samara` beside this program, on a free port of 127.0.0.1 and the
    /// configuration `toml`.
    ///
    /// # Errors
    ///
    /// When there is no such program, or it does not come to listen.
    pub(crate) fn start(program: Option<&Path>, loops: u32, toml: &str) -> io::Result<Self> {
        let program = program.map_or_else(beside, |it| Ok(it.to_owned()))?;
        let file = Configuration::new(toml)?;
        let mut command = Command::new(&program);
        command.args(["serve", "--bind", "127.0.0.1", "--port", "0", "--log", LOG]);
        command.arg("--loops").arg(loops.to_string());
        command.arg("--config").arg(&file.0);
        let streams = command.stdin(Stdio::null()).stdout(Stdio::null());
        let child = streams.stderr(Stdio::piped()).spawn();
        let mut child = child.map_err(|error| {
            io::Error::new(error.kind(), format!("{}: {error}", program.display()))
        })?;
        let log = child.stderr.take().map(BufReader::new);
        let mut server = Self {
            child,
            address: ([127, 0, 0, 1], 0).into(),
        };
        let log = log.ok_or(io::ErrorKind::BrokenPipe)?;
        server.address = listen(log, &program)?;
        Ok(server)
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// # Errors
    ///
    /// When it has ended, which nobody asked it to.
    pub(crate) fn check(&mut self) -> io::Result<()> {
        match self.child.try_wait()? {
            None => Ok(()),
            Some(status) => Err(io::Error::other(format!("the server ended: {status}"))),
        }
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        // Either fails if it has ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The `samara` that was built together with this program.
fn beside() -> io::Result<PathBuf> {
    let name = format!("samara{}", env::consts::EXE_SUFFIX);
    Ok(env::current_exe()?.with_file_name(name))
}

/// Waits until the server says where it listens; what it says later is passed on.
fn listen(mut log: BufReader<ChildStderr>, program: &Path) -> io::Result<SocketAddr> {
    let mut told = String::new();
    let address = loop {
        let begin = told.len();
        if log.read_line(&mut told)? == 0 {
            let told = format!("{} does not serve:\n{told}", program.display());
            return Err(io::Error::other(told.trim_end().to_owned()));
        }
        if let Some(address) = told.get(begin..).and_then(address_in) {
            break address;
        }
    };
    thread::spawn(move || {
        for line in log.lines().map_while(Result::ok) {
            eprintln!("samara: {line}");
        }
    });
    Ok(address)
}

fn address_in(line: &str) -> Option<SocketAddr> {
    let (_, rest) = line.split_once(LISTENING)?;
    rest.split_whitespace().next()?.parse().ok()
}

/// A file that is there until the server has read it.
struct Configuration(PathBuf);

impl Configuration {
    fn new(toml: &str) -> io::Result<Self> {
        let name = format!("samara-load-{}.toml", process::id());
        let file = Self(env::temp_dir().join(name));
        fs::write(&file.0, toml)?;
        Ok(file)
    }
}

impl Drop for Configuration {
    fn drop(&mut self) {
        // It is in nobody's way.
        let _ = fs::remove_file(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_says_where_it_listens() {
        let line = "[2026-11-30T20:00:00.000Z INFO  samara::server] listening on udp \
                    127.0.0.1:40123 (event loops: 1)\n";
        assert_eq!(address_in(line), Some(([127, 0, 0, 1], 40123).into()));
        assert_eq!(address_in("listening on tcp 127.0.0.1:40123"), None);
    }

    #[test]
    fn nobody_to_start_is_named() {
        let program = Path::new("no/such/samara");
        let error = ServerProcess::start(Some(program), 1, "").err().unwrap();
        assert!(error.to_string().contains("no/such/samara"), "{error}");
    }
}

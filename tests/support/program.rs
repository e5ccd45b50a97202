//! The program itself, as an operator runs it.

use super::PATIENCE;
use std::{
    io::{BufRead, BufReader},
    net::SocketAddr,
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
    time::{Duration, Instant},
};

/// A running `samara serve` on a free loopback port; ended with the test.
pub struct Program {
    pub address: SocketAddr,
    child: Child,
    log: Receiver<String>,
    /// What it has logged so far.
    pub logged: Vec<String>,
}

impl Program {
    /// Starts it with these options; when this returns, it listens.
    pub fn start(options: &[&str]) -> Self {
        Self::logging("info", options)
    }

    /// The same with another filter of its log.
    pub fn logging(filter: &str, options: &[&str]) -> Self {
        let own = [
            "serve",
            "--bind",
            "127.0.0.1",
            "--port",
            "0",
            "--log",
            filter,
        ];
        let mut child = Command::new(env!("CARGO_BIN_EXE_samara"))
            .args(own)
            .args(options)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (sender, log) = mpsc::channel();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        // Reads on to the end, so that the program never waits for its log.
        thread::spawn(move || {
            for line in stderr.lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        let mut program = Self {
            address: ([127, 0, 0, 1], 0).into(),
            child,
            log,
            logged: Vec::new(),
        };
        let line = program.expect_log("listening on udp ");
        let (_, rest) = line.split_once("listening on udp ").unwrap();
        program.address = rest.split(' ').next().unwrap().parse().unwrap();
        program
    }

    /// The next line of the log with `part` in it.
    pub fn expect_log(&mut self, part: &str) -> String {
        loop {
            let line = self.log.recv_timeout(PATIENCE);
            let line = line.unwrap_or_else(|_| panic!("no {part:?} in {:#?}", self.logged));
            self.logged.push(line.clone());
            if line.contains(part) {
                return line;
            }
        }
    }

    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    pub fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        let status = Command::new("kill").args(["-s", name, &id]).status();
        assert!(status.unwrap().success());
    }

    pub fn exit(&mut self) -> ExitStatus {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(Instant::now() < deadline, "it does not end");
            thread::sleep(Duration::from_millis(2));
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

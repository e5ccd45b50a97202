//! The scripts an operator starts and stops servers with (kaillera-server.md 14.2).

use crate::support::{Conf, Identity, Player};
use std::{
    fs,
    net::{Ipv4Addr, SocketAddr, TcpListener, UdpSocket},
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// A folder with the scripts and the program in it; its server ends with the test.
struct Folder {
    conf: Conf,
}

impl Folder {
    fn new(name: &str) -> Self {
        let folder = Self {
            conf: Conf::new(name),
        };
        let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("tools/operate");
        for script in ["start-server.sh", "stop-server.sh"] {
            fs::copy(scripts.join(script), folder.path(script)).unwrap();
        }
        symlink(env!("CARGO_BIN_EXE_samara"), folder.path("samara")).unwrap();
        folder
    }

    fn path(&self, file: &str) -> PathBuf {
        self.conf.folder().join(file)
    }

    /// Runs a script from elsewhere.
    fn run(&self, script: &str, options: &[&str]) -> Output {
        let mut command = Command::new("sh");
        let command = command
            .arg(self.path(script))
            .args(options)
            .current_dir("/")
            .env_remove("SAMARA");
        command.output().unwrap()
    }

    fn log(&self) -> String {
        fs::read_to_string(self.path("samara.log")).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        self.run("stop-server.sh", &["--wait", "0"]);
    }
}

fn told(output: &Output) -> String {
    let bytes = [&*output.stdout, &output.stderr].concat();
    String::from_utf8(bytes).unwrap()
}

/// A port that nobody has.
fn free_port() -> u16 {
    let is_free = |port| UdpSocket::bind((Ipv4Addr::UNSPECIFIED, port)).is_ok();
    loop {
        let listener = TcpListener::bind((Ipv4Addr::UNSPECIFIED, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        if is_free(port) {
            return port;
        }
    }
}

fn greets(address: SocketAddr, line: &str) {
    let ann = Player::log_in(address, &Identity::new("Ann"));
    let is_it = |text: &[u8]| text == line.as_bytes();
    let greeting = ann.passed.iter().any(|it| match it.message() {
        samara::kaillera::message::ServerMessage::InformationMessage { text, .. } => is_it(text),
        _ => false,
    });
    assert!(greeting, "{line}");
}

#[test]
fn two_servers_on_one_machine() {
    let (emulinker, native) = (Folder::new("wrapped"), Folder::new("wrapped-native"));
    let port = free_port();
    let (from, to) = ("connect.port=27888", format!("connect.port={port}"));
    emulinker.conf.change("emulinker.cfg", from, &to);
    fs::remove_dir_all(native.conf.path()).unwrap();
    let toml = "[net]\nbind = [\"127.0.0.1\"]\nport = 0\n[kaillera]\nwelcome = [\"Native\"]\n";
    fs::write(native.path("samara.toml"), toml).unwrap();

    let started = emulinker.run("start-server.sh", &["--jar", "emulinker.jar"]);
    assert!(started.status.success(), "{}", told(&started));
    let said = told(&started);
    assert!(said.contains("--jar emulinker.jar is not needed"), "{said}");
    assert!(
        said.contains(&format!("listening on udp 0.0.0.0:{port}")),
        "{said}"
    );
    let started = native.run("start-server.sh", &[]);
    assert!(started.status.success(), "{}", told(&started));

    greets(([127, 0, 0, 1], port).into(), "Welcome to a new server!");
    let log = native.log();
    let (_, address) = log.split_once("listening on udp ").unwrap();
    let address = address.split_whitespace().next().unwrap().parse().unwrap();
    greets(address, "Native");

    let taken = Folder::new("wrapped-taken");
    taken.conf.change("emulinker.cfg", from, &to);
    let started = taken.run("start-server.sh", &[]);
    assert_eq!(started.status.code(), Some(1));
    let said = told(&started);
    let why = format!("cannot listen on udp 0.0.0.0:{port}: ");
    assert!(said.contains(&why), "{said}");

    let again = emulinker.run("start-server.sh", &[]);
    assert_eq!(again.status.code(), Some(1));
    assert!(
        told(&again).contains("already running, as process "),
        "{}",
        told(&again)
    );

    let stopped = emulinker.run("stop-server.sh", &[]);
    assert_eq!(told(&stopped), "stopped\n");
    assert!(emulinker.log().contains("stopped"), "{}", emulinker.log());
    assert!(!emulinker.path("samara.pid").exists());
    let again = emulinker.run("stop-server.sh", &[]);
    assert_eq!(
        (told(&again).as_str(), again.status.code()),
        ("not running\n", Some(0))
    );
    // The other one was left alone.
    Player::log_in(address, &Identity::new("Bob")).create(b"Game");
}

#[test]
fn a_start_that_fails_shows_why() {
    let folder = Folder::new("wrapped-mistake");
    folder
        .conf
        .change("emulinker.cfg", "maxPing=250", "maxPing=fast");
    fs::write(folder.path("samara.log"), "from before\n").unwrap();
    let started = folder.run("start-server.sh", &[]);
    assert_eq!(started.status.code(), Some(1));
    let said = told(&started);
    assert!(said.contains("it has not started"), "{said}");
    assert!(
        said.contains("server.maxPing = `fast` is not an integer"),
        "{said}"
    );
    assert!(!said.contains("from before"), "{said}");
    assert!(!folder.path("samara.pid").exists());

    fs::remove_file(folder.path("samara")).unwrap();
    let mut command = Command::new("sh");
    command.arg(folder.path("start-server.sh"));
    let output = command.env("SAMARA", "no/such/samara").output().unwrap();
    assert!(
        told(&output).contains("/no/such/samara: put the program"),
        "{}",
        told(&output)
    );
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_number_that_is_somebody_elses_is_left_alone() {
    let folder = Folder::new("wrapped-stale");
    // The test's own process is no server.
    fs::write(folder.path("samara.pid"), std::process::id().to_string()).unwrap();
    let stopped = folder.run("stop-server.sh", &[]);
    assert_eq!(told(&stopped), "not running\n");
    for (script, options) in [
        ("start-server.sh", &["--pot"][..]),
        ("start-server.sh", &["--jar"]),
        ("stop-server.sh", &["--wait", "x"]),
        ("stop-server.sh", &["now"]),
    ] {
        let output = folder.run(script, options);
        assert_eq!(output.status.code(), Some(2), "{script} {options:?}");
    }
}

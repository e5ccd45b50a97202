//! The binary as an operator meets it.

#![expect(
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

use std::{
    fs,
    io::{Read as _, Write as _},
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

fn samara(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_samara"))
        .args(arguments)
        .output()
        .unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// A file that is gone at the end of its test.
struct TempFile(PathBuf);

impl TempFile {
    fn new(name: &str, bytes: &[u8]) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::write(&path, bytes).unwrap();
        Self(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        _ = fs::remove_file(&self.0);
    }
}

#[test]
fn check_accepts_the_example() {
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/tools/samara.example.toml");
    let output = samara(&["check", "--config", example]);
    let expected = format!(
        "{example}: ok
  listens on   0.0.0.0:27888, [::]:27888 (UDP and TCP)
  tcp          4096 connections, 64 of one address at most
  http pages   on port 27888
  minecraft    listed on port 27888
  threads      half the cores for the network, which also run the games
  users        4096 at most, with a ping of 1000 ms at most
  connections  1, 2, 3, 4, 5, 6
  rooms        any number, 8 members each
  charset      windows-1252
  language     en
  welcome      0 lines
  log          info, or as RUST_LOG says
"
    );
    assert_eq!(stdout(&output), expected);
    assert_eq!(stderr(&output), "");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn check_says_what_a_file_changes() {
    let text = "[net]\nbind = [\"192.0.2.7\"]\nport = 0\nannounced_port = 27900\nloops = 2\n\
        workers = 3\n[kaillera]\nmax_users = 100\nmax_games = 20\nmax_ping_ms = 250\n\
        allowed_connection_types = [3, 1]\nroom_capacity = 4\ncharset = \"utf-8\"\n\
        welcome = [\"Hello\"]\n[tcp]\nconnections = 10\n[http]\non_shared_port = false\n\
        listen = [\"127.0.0.1:9100\"]\n[log]\nfilter = \"warn\"\n";
    let file = TempFile::new("changes.toml", text.as_bytes());
    let output = samara(&["check", "--config", file.path()]);
    let path = file.path();
    let expected = format!(
        "{path}: warning: kaillera.charset is UTF-8, which clients do not understand: \
         they show every letter beyond ASCII as two or more others
{path}: ok
  listens on   192.0.2.7:0 (UDP and TCP, any free port)
  tcp          10 connections, 64 of one address at most
  http pages   on 127.0.0.1:9100
  minecraft    listed on port 0
  announces    port 27900
  threads      2 for the network, 3 for the games
  users        100 at most, with a ping of 250 ms at most
  connections  1, 3
  rooms        20 at most, 4 members each
  charset      UTF-8
  language     en
  welcome      1 line
  log          warn
"
    );
    assert_eq!(stdout(&output), expected);
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn check_and_serve_tell_every_mistake() {
    let text = "[net]\nport = 70000\n\n[kaillera]\nmax_ping_ms = 5000\ncolour = 1\n";
    let file = TempFile::new("mistakes.toml", text.as_bytes());
    for command in ["check", "serve"] {
        let output = samara(&[command, "--config", file.path()]);
        let told = stderr(&output);
        let lines: Vec<_> = told.lines().collect();
        let path = file.path();
        assert_eq!(lines.len(), 3, "{told}");
        assert_eq!(
            lines[0],
            format!(
                "{path}:2: net.port = 70000 is out of range; \
                 valid: 0 to 65535 (port; 0 is any free one)"
            )
        );
        assert_eq!(
            lines[1],
            format!(
                "{path}:5: kaillera.max_ping_ms = 5000 is out of range; \
                 valid: 1 to 1000 (milliseconds)"
            )
        );
        assert!(lines[2].starts_with(&format!("{path}:6: kaillera.colour is unknown; valid: ")));
        assert_eq!(stdout(&output), "");
        assert_eq!(output.status.code(), Some(2));
    }
}

#[test]
fn check_names_a_file_it_cannot_read() {
    let output = samara(&["check", "--config", "no/such.toml"]);
    assert_eq!(stderr(&output), "no/such.toml: no such file\n");
    assert_eq!(output.status.code(), Some(2));

    let file = TempFile::new("large.toml", &vec![b'#'; (256 << 10) + 1]);
    let output = samara(&["check", "--config", file.path()]);
    assert_eq!(
        stderr(&output),
        format!("{}: cannot be read: longer than 256 KiB\n", file.path())
    );
    assert_eq!(output.status.code(), Some(2));

    let file = TempFile::new("latin1.toml", b"# one\n# caf\xe9\n");
    let output = samara(&["check", "--config", file.path()]);
    assert_eq!(
        stderr(&output),
        format!("{}:2: not UTF-8 text\n", file.path())
    );
    assert_eq!(output.status.code(), Some(2));
}

/// A directory as EmuLinker-K ships it, gone at the end of its test.
struct Conf(PathBuf);

impl Conf {
    fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(path.join("conf")).unwrap();
        let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/emulinker/conf");
        for file in fs::read_dir(shipped).unwrap() {
            let file = file.unwrap();
            fs::copy(file.path(), path.join("conf").join(file.file_name())).unwrap();
        }
        Self(path)
    }

    fn path(&self, file: &str) -> String {
        self.0.join(file).to_str().unwrap().to_owned()
    }
}

impl Drop for Conf {
    fn drop(&mut self) {
        _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn check_reads_an_emulinker_directory() {
    let conf = Conf::new("check-emulinker");
    let directory = conf.path("conf");
    let output = samara(&["check", "--emulinker", &directory]);
    let told = stdout(&output);
    assert_eq!(stderr(&output), "");
    assert_eq!(output.status.code(), Some(0));
    assert!(told.contains(&format!("{directory}: ok\n")), "{told}");
    assert!(
        told.contains("100 at most, with a ping of 250 ms at most"),
        "{told}"
    );
    let ignored = "do nothing here: buffers fit what they hold\n";
    assert_eq!(told.matches(ignored).count(), 1, "{told}");
}

#[test]
fn check_tells_every_mistake_of_every_file() {
    let conf = Conf::new("check-mistakes");
    let rules = "user,ADMIN,192.0.2.1\nuser,KING,*\n";
    fs::write(conf.path("conf/access.cfg"), rules).unwrap();
    let output = samara(&["check", "--emulinker", &conf.path("conf")]);
    let told = stderr(&output);
    let line = format!("{}:2: `KING`: no such level", conf.path("conf/access.cfg"));
    assert!(told.lines().any(|it| it.starts_with(&line)), "{told}");
    assert_eq!(output.status.code(), Some(2));

    let text = "\nserver.maxPing=fast\n";
    fs::write(conf.path("conf/emulinker.cfg"), text).unwrap();
    for command in ["check", "serve"] {
        let output = samara(&[command, "--emulinker", &conf.path("conf")]);
        let told = stderr(&output);
        let cfg = conf.path("conf/emulinker.cfg");
        assert_eq!(told.lines().count(), 3, "{told}");
        assert!(
            told.starts_with(&format!("{cfg}: game.bufferSize is missing")),
            "{told}"
        );
        let ping = "server.maxPing = `fast` is not an integer; \
                    valid: an integer, 1 to 1000 (milliseconds)";
        assert!(told.contains(&format!("{cfg}:2: {ping}\n")), "{told}");
        assert!(told.contains(&line), "{told}");
        assert_eq!(output.status.code(), Some(2));
    }
}

#[test]
fn import_writes_what_check_takes() {
    let conf = Conf::new("import");
    let (directory, toml) = (conf.path("conf"), conf.path("samara.toml"));
    let output = samara(&["import", &directory, "--output", &toml]);
    assert_eq!(stderr(&output), "");
    assert_eq!(output.status.code(), Some(0));
    let summary = |output: &Output| {
        let told = stdout(output);
        let (_, summary) = told.split_once(": ok\n").unwrap();
        summary.to_owned()
    };
    let native = samara(&["check", "--config", &toml]);
    let before = samara(&["check", "--emulinker", &directory]);
    assert_eq!(summary(&native), summary(&before));
    assert_eq!(stderr(&native), "");

    let text = fs::read_to_string(&toml).unwrap();
    assert_eq!(stdout(&samara(&["import", &directory])), text);
    let again = samara(&["import", &directory, "--output", &toml]);
    assert!(
        stderr(&again).contains("cannot write"),
        "{}",
        stderr(&again)
    );
    assert_eq!(again.status.code(), Some(1));
}

#[test]
fn setup_asks_and_writes() {
    let conf = Conf::new("setup");
    let ask = |input: &[u8]| {
        let mut child = Command::new(env!("CARGO_BIN_EXE_samara"))
            .args(["setup", "--emulinker", &conf.path("conf")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        child.wait_with_output().unwrap()
    };
    let output = ask(b"Ours\n");
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("nothing was written"));
    let output = ask(b"Ours\nOslo\nru\nGBK\n");
    assert_eq!(stderr(&output), "");
    assert_eq!(output.status.code(), Some(0));
    let cfg = conf.path("conf/emulinker.cfg");
    assert!(stdout(&output).contains(&format!("{cfg}: written\n")));
    let text = fs::read_to_string(&cfg).unwrap();
    assert!(text.contains("\nmasterList.serverName=Ours\n"), "{text}");
    let output = ask(b"");
    assert!(stdout(&output).contains("nothing to ask"));
    let checked = samara(&["check", "--emulinker", &conf.path("conf")]);
    assert!(stdout(&checked).contains("language     ru\n"));
}

#[test]
fn health_is_the_exit_status() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    for (status, expected) in [("200 OK", 0), ("503 Busy", 1), ("302 Found", 1)] {
        let asked = std::thread::spawn({
            let address = address.clone();
            move || samara(&["health", &address])
        });
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = [0; 1024];
        let length = stream.read(&mut request).unwrap();
        assert!(request[..length].starts_with(b"GET /health HTTP/1.1\r\n"));
        let answer = format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        stream.write_all(answer.as_bytes()).unwrap();
        drop(stream);
        let output = asked.join().unwrap();
        assert_eq!(
            output.status.code(),
            Some(expected),
            "{status}: {}",
            stderr(&output)
        );
    }
    drop(listener);
    let output = samara(&["health", &address]);
    assert!(
        stderr(&output).contains("does not answer"),
        "{}",
        stderr(&output)
    );
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn help_and_version() {
    let output = samara(&["--version"]);
    assert_eq!(
        stdout(&output),
        concat!("samara ", env!("CARGO_PKG_VERSION"), "\n")
    );
    let output = samara(&["--help"]);
    for part in [
        "serve",
        "check",
        "Examples:",
        "127.0.0.1:27888",
        "RUST_LOG",
        "SIGTERM",
        "SIGHUP",
        "import",
        "setup",
        "health",
    ] {
        assert!(stdout(&output).contains(part), "{part}");
    }
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn wrong_options_exit_with_2() {
    for arguments in [
        &["check"][..],
        &["check", "--config", "a", "--emulinker", "b"],
        &["serve", "--config", "a", "--emulinker", "b"],
        &["serve", "--port", "x"],
        &["import"],
        &["setup", "a.toml", "--emulinker", "b"],
        &["start"],
    ] {
        assert_eq!(samara(arguments).status.code(), Some(2), "{arguments:?}");
    }
}

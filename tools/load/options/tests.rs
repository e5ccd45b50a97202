//! Whole command lines, and what is wrong with some.

use super::*;

fn read(line: &str) -> Result<Asked, clap::Error> {
    parse(["samara-load"].into_iter().chain(line.split_whitespace()))
}

fn kaillera(line: &str) -> Kaillera {
    match read(&format!("kaillera {line}")).unwrap().command {
        Command::Kaillera(games) => games,
        other => panic!("{other:?}"),
    }
}

/// A file that is gone at the end of its test.
struct TempFile(PathBuf);

impl TempFile {
    fn new(name: &str, bytes: &[u8]) -> Self {
        let path = std::env::temp_dir().join(format!("samara-{}-{name}", std::process::id()));
        std::fs::write(&path, bytes).unwrap();
        Self(path)
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        _ = std::fs::remove_file(&self.0);
    }
}

#[test]
fn the_command_line_is_sound() {
    Cli::command().debug_assert();
}

#[test]
fn reads_a_whole_line() {
    let games = kaillera(
        "--users 1000 --players 3 --conn 3 --duration 30s --target 127.0.0.2:27900 --pid 7 \
         --max-p99 2ms --max-lost 0 --max-late 1% --threads 2 --quiet",
    );
    assert_eq!(games.play.conn, ConnectionType::Good);
    assert_eq!(games.clients.duration, Duration::from_secs(30));
    assert_eq!(
        games.server.target,
        SocketAddr::from(([127, 0, 0, 2], 27900))
    );
    assert_eq!(games.server.pid, Some(7));
    let limits = games.limits.stated(games.play.max_late);
    assert_eq!(limits.p99, Some(Duration::from_millis(2)));
    assert_eq!(limits.lost, Some(0));
    assert_eq!(limits.late, Some(measure::Late::Percent(1.0)));
    assert!(games.output.quiet);
}

#[test]
fn defaults_are_a_small_run() {
    let games = kaillera("");
    assert_eq!((games.clients.users, games.play.players), (100, 2));
    assert_eq!(
        games.server.target,
        SocketAddr::from(([127, 0, 0, 1], 27888))
    );
    assert_eq!(games.limits.stated(None), measure::Limits::default());
}

#[test]
fn every_scenario_has_its_options() {
    for line in [
        "churn --rate 200 --stay 500ms --users 10 --max-p999 1s",
        "lobby --every 2s --login-rate 5",
        "idle --every 60s --max-lost 1",
        "flood --rate 200000 --flooders 2 --players 4",
        "garbage --rate 10 --conn 2",
        "pps --rate max --pid 1",
        "echo --size 100 --loops 2 --rate 5",
        "maple --through relay --rate 5 --size 100 --broadcast",
        "maple --threads 3 --rounds 5 --ahead 8",
        "maple --target 127.0.0.1:8484 --pid 5",
        "together --rounds 2 --users 8 --players 4 --sessions 50 --rate max --loops 2",
        "together --server ./samara --max-p99 5ms --max-lost 0 --max-late 1%",
        "together --target 127.0.0.1:5 --world 127.0.0.1:6 --pid 7 --html b",
        "demo --duration 1s --json a --html b",
        "compare a.json b.json --html c.html",
    ] {
        assert!(read(line).is_ok(), "{line}");
    }
    for line in [
        "",
        "minecraft",
        "maple --target 192.0.2.1:5",
        "maple --rounds 2 --through relay",
        "maple --rounds 2 --target 127.0.0.1:5",
        "maple --rounds 0",
        "maple --pid 5",
        "together --target 127.0.0.1:5",
        "together --world 127.0.0.1:5",
        "together --target 192.0.2.1:5 --world 127.0.0.1:6",
        "together --target 127.0.0.1:5 --world 127.0.0.1:6 --loops 2",
        "together --users 1",
        "together --pid 7",
        "idle --max-p99 1s",
        "flood --rate 200001",
        "garbage --rate 0",
        "echo --target 127.0.0.1:5",
        "demo --users 5",
        "compare a.json",
        "lobby --max-late 3",
    ] {
        assert!(read(line).is_err(), "{line}");
    }
}

#[test]
fn compare_has_two_spellings() {
    for line in ["compare a b --html c", "--compare a b --html c"] {
        let Command::Compare(compare) = read(line).unwrap().command else {
            panic!("{line}");
        };
        let [before, after, page] = ["a", "b", "c"].map(PathBuf::from);
        let html = Some(page);
        assert_eq!(
            compare,
            Compare {
                before,
                after,
                html
            }
        );
    }
    assert!(read("--compare a").is_err());
    assert!(read("--html c").is_err());
}

#[test]
fn other_machines_are_left_alone() {
    for target in ["192.0.2.1:27888", "0.0.0.0:27888", "[2001:db8::1]:27888"] {
        for scenario in [
            "kaillera", "churn", "lobby", "idle", "flood", "garbage", "pps",
        ] {
            let line = format!("{scenario} --target {target} --users 20");
            let told = read(&line).unwrap_err().to_string();
            assert!(told.contains("--this-is-my-own-server"), "{line}: {told}");
            assert!(
                read(&format!("{line} --this-is-my-own-server")).is_ok(),
                "{line}"
            );
        }
    }
    assert!(read("pps --target 127.8.8.8:27888").is_ok());
    assert!(read("pps --target [::1]:27888").is_ok());
}

#[test]
fn sockets_are_bounded() {
    let far = "--target 192.0.2.1:5 --this-is-my-own-server";
    assert!(read(&format!("idle {far} --users 900")).is_ok());
    assert!(read(&format!("idle {far} --users 901")).is_err());
    assert!(read(&format!("flood {far} --users 900")).is_err());
    assert!(read("idle --target [::1]:27888 --users 901").is_err());
    assert_eq!(
        read("idle --users 20000").is_ok(),
        cfg!(target_os = "linux")
    );
}

#[test]
fn refuses_what_makes_no_sense() {
    for line in [
        "--users 0",
        "--users 3 --players 4",
        "--players 9",
        "--conn 7",
        "--conn 0",
        "--held 101",
        "--duration 0s",
        "--duration 61m",
        "--target 127.0.0.1:0",
        "--input-size 0",
        "--input-size 342",
        "--input-size 341 --conn 6 --players 2",
        "--input",
        "--input 4",
        "--input recording",
        "--input random 5",
        "--input held held held",
        "--max-late 101%",
        "--max-p99 soon",
        "--json no/such/directory/run.json",
        "--html .",
    ] {
        assert!(read(&format!("kaillera {line}")).is_err(), "{line}");
    }
}

#[test]
fn inputs_come_from_a_model_or_a_file() {
    let inputs = |line: &str| read(&format!("kaillera {line}")).map(|it| it.inputs);
    assert!(matches!(inputs("").unwrap(), Inputs::Held(66, 4)));
    let random = inputs("--input random --input-size 12").unwrap();
    assert!(matches!(random, Inputs::Held(0, 12)));
    let file = TempFile::new("recording.txt", b"0a0b\nx2\n");
    let line = format!("--input recording {} --users 2", file.0.display());
    assert_eq!(inputs(&line).unwrap().len(), 2);
    let told = inputs("--input recording no/such/file")
        .unwrap_err()
        .to_string();
    assert!(told.contains("no/such/file: "), "{told}");
}

#[test]
fn a_record_says_what_was_asked() {
    let line = "garbage --users 7 --input random --json a.json --this-is-my-own-server";
    let options = read(line).unwrap().options;
    assert_eq!(options["users"], "7");
    assert_eq!(options["rate"], "2000");
    assert_eq!(options["input"], "random");
    assert_eq!(options["this-is-my-own-server"], "true");
    assert!(!options.contains_key("json"));
    assert!(!options.contains_key("pid"));
    let options = read("pps").unwrap().options;
    assert!(!options.contains_key("this-is-my-own-server"));
}

//! `samara-load` as a stranger meets it: short runs against a server in this process.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a helper that fails is a test that fails"
)]

use samara::{config::Config, server::Server};
use serde_json::Value;
use std::{
    fs,
    net::{Ipv4Addr, TcpListener, UdpSocket},
    path::{Path, PathBuf},
    process::{Command, Output},
};

fn load(line: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_samara-load"))
        .args(line.split_whitespace())
        .output()
        .unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// A server on a free port, and how a run finds it.
fn serve() -> (Server, String) {
    let mut config = Config::default();
    config.net.bind = vec![Ipv4Addr::LOCALHOST.into()];
    config.net.port = 0;
    config.net.loops = 1;
    let server = Server::start(&config).unwrap();
    let target = format!("--target {}", server.addresses()[0]);
    (server, target)
}

/// A file that is gone at the end of its test.
struct TempFile(PathBuf);

impl TempFile {
    fn new(name: &str) -> Self {
        Self(Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("load-{name}")))
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

/// Runs with `--json`, and reads what it wrote.
fn record(name: &str, line: &str) -> (Output, Value) {
    let file = TempFile::new(&format!("{name}.json"));
    let output = load(&format!("{line} --json {}", file.path()));
    let told = stderr(&output);
    let json = fs::read(&file.0).unwrap_or_else(|error| panic!("{error}: {told}"));
    (output, serde_json::from_slice(&json).unwrap())
}

fn names(times: &Value) -> Vec<&str> {
    let times = times.as_array().unwrap();
    times
        .iter()
        .map(|it| it["name"].as_str().unwrap())
        .collect()
}

#[test]
fn a_demo_needs_nothing_else() {
    let output = load("demo --duration 1s --max-lost 0");
    let told = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{told}");
    for part in ["127.0.0.1:", "four players", "added delay", "max-lost"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert_eq!(stderr(&output), "", "no progress without a terminal");
}

#[test]
fn games_are_put_on_record() {
    let (_server, target) = serve();
    let page = TempFile::new("games.html");
    let pid = std::process::id();
    let line = format!(
        "kaillera {target} --users 6 --players 2 --conn 2 --duration 1500ms --threads 2 \
         --pid {pid} --max-lost 0 --max-late 100% --html {}",
        page.path()
    );
    let (output, record) = record("games", &line);
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    assert_eq!(record["scenario"], "kaillera");
    assert_eq!(record["options"]["conn"], "2");
    assert_eq!(record["users"]["asked"], 6);
    let frames = &record["frames"];
    // Players begin at times of their own: one frame more or less fits into the time.
    let expected = frames["expected"].as_u64().unwrap();
    assert!((6 * 44..=6 * 46).contains(&expected), "{frames}");
    assert_eq!(frames["received"], frames["expected"]);
    assert_eq!(frames["unequal"], 0);
    assert_eq!(
        names(&record["times"]),
        ["added delay", "round trip", "own lateness"]
    );
    assert_eq!(record["times"][0]["count"], frames["expected"]);
    let series = record["series"].as_array().unwrap();
    assert!(!series.is_empty());
    assert!(series[0]["packets_in"].as_f64().unwrap() > 0.0);
    assert!(series[0]["delay"]["p99"].as_f64().unwrap() > 0.0);
    if cfg!(target_os = "linux") {
        assert!(series[0]["resident"].as_u64().unwrap() > 0);
        assert!(record["server"]["threads"].as_u64().unwrap() > 0);
    }
    assert_eq!(record["limits"].as_array().unwrap().len(), 2);
    assert!(fs::read_to_string(&page.0).unwrap().contains("<svg"));
}

#[test]
fn a_recording_is_played() {
    let (_server, target) = serve();
    let file = TempFile::new("recording.txt");
    fs::write(&file.0, "0001\nx30\n0203\n").unwrap();
    let line = format!(
        "kaillera {target} --users 2 --duration 1s --input recording {}",
        file.path()
    );
    let (output, record) = record("recording", &line);
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    assert_eq!(record["extra"]["cached inputs, percent"], 100.0);
}

#[test]
fn noise_beside_games_is_counted_apart() {
    let (server, target) = serve();
    noise("garbage", &target);
    assert!(server.drops().total() > 0, "garbage was dropped");
}

#[test]
fn floods_beside_games_are_counted_apart() {
    let (_server, target) = serve();
    noise("flood", &target);
}

fn noise(scenario: &str, target: &str) {
    let line = format!("{scenario} {target} --users 2 --duration 1s --rate 500 --max-lost 0");
    let (output, record) = record(scenario, &line);
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    assert_eq!(record["users"]["asked"], 2);
    let noise = record["extra"]["noise packets per second"].as_f64();
    assert!((50.0..=510.0).contains(&noise.unwrap()), "{noise:?}");
}

#[test]
fn users_come_and_go() {
    let (_server, target) = serve();
    let (output, churn) = record(
        "churn",
        &format!("churn {target} --users 10 --rate 20 --stay 100ms --duration 1s"),
    );
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    assert_eq!(churn["extra"]["logins due"], 20.0);
    assert_eq!(names(&churn["times"])[0], "login");
    assert_eq!(churn["frames"], Value::Null);
}

#[test]
fn users_talk_to_everybody() {
    let (_server, target) = serve();
    let (output, lobby) = record(
        "lobby",
        &format!("lobby {target} --users 4 --every 3s --duration 3s --threads 2"),
    );
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    assert_eq!(
        lobby["extra"]["lines done"], 16.0,
        "four lines to four users"
    );
}

#[test]
fn users_stay() {
    let (_server, target) = serve();
    let (output, idle) = record(
        "idle",
        &format!("idle {target} --users 4 --every 200ms --duration 1s"),
    );
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    let sent = idle["traffic"]["packets_out"].as_u64().unwrap();
    assert!((4..=24).contains(&sent), "{sent}");
}

#[test]
fn pings_are_answered_and_echoes_come_back() {
    let (_server, target) = serve();
    let line = format!("pps {target} --rate 400 --users 10 --duration 500ms --max-lost 0");
    let (output, pings) = record("pps", &line);
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    assert_eq!(pings["extra"]["pings due"], 200.0);
    assert_eq!(pings["extra"]["pings done"], 200.0);

    let line = "echo --users 10 --duration 500ms --size 33 --max-lost 0";
    let (output, echoes) = record("echo", line);
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    let done = echoes["extra"]["echoes done"].as_f64().unwrap();
    let bytes = echoes["traffic"]["bytes_in"].as_f64().unwrap();
    assert!(done > 10.0);
    assert!((bytes / 33.0).fract().abs() < 1e-9, "{bytes}");
}

#[test]
fn limits_decide_the_exit_status() {
    let line = "echo --rate 200 --users 5 --duration 300ms";
    for (limits, code) in [
        ("", 0),
        ("--max-p99 30s --max-p999 30s --max-lost 0", 0),
        ("--max-p99 0us --max-lost 0", 1),
    ] {
        let output = load(&format!("{line} {limits}"));
        assert_eq!(
            output.status.code(),
            Some(code),
            "{limits}: {}",
            stdout(&output)
        );
    }
    let (_, record) = record("limits", &format!("{line} --max-p99 0us --max-lost 0"));
    let held = |n: usize| record["limits"][n]["held"].as_bool().unwrap();
    assert_eq!((held(0), held(1)), (false, true));
}

#[test]
fn maple_clients_are_answered_whatever_is_between() {
    for through in ["gateway --ahead 8", "relay", "world --broadcast --rate 50"] {
        let line = format!("maple --users 7 --threads 3 --duration 300ms --through {through}");
        let (output, record) = record("maple", &line);
        assert_eq!(output.status.code(), Some(0), "{through}");
        assert_eq!(record["users"]["asked"], 7);
        let extra = |name: &str| record["extra"][name].as_f64().unwrap();
        assert_eq!(extra("packets lost"), 0.0, "{through}");
        assert!(extra("packets done") >= 70.0, "{through}");
        let traffic = |name: &str| record["traffic"][name].as_u64().unwrap();
        assert!(traffic("packets_in") > 0 && traffic("packets_out") > 0);
        // Each has 40 bytes and a header.
        assert_eq!(traffic("bytes_in"), 44 * traffic("packets_in"), "{through}");
        assert_eq!(traffic("bytes_out"), 44 * traffic("packets_out"));
        let series = record["series"].as_array().unwrap();
        assert!(series[0]["packets_in"].as_f64().unwrap() > 0.0);
        assert!(series[0]["delay"]["p50"].as_f64().unwrap() > 0.0);
        if cfg!(target_os = "linux") {
            assert_eq!(record["server"]["threads"], 1, "{through}");
            assert!(extra("processor time per packet, microseconds") > 0.0);
        }
    }
}

#[test]
fn broadcasts_reach_everybody() {
    let line = "maple --users 6 --threads 2 --duration 500ms --through world --broadcast --rate 40";
    let (output, record) = record("broadcast", line);
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    let extra = &record["extra"];
    assert_eq!(extra["packets due"], 120.0, "twenty packets to six clients");
    assert_eq!(extra["packets done"], 120.0);
    assert_eq!(extra["receivers of each packet"], 6.0);
    let times = &record["times"];
    assert_eq!(names(times), ["delivery", "to all", "own lateness"]);
    assert_eq!(
        (&times[0]["count"], &times[1]["count"]),
        (&120.into(), &20.into())
    );
}

/// The ratios of one comparison of a record, by the figure's name.
fn figure<'a>(record: &'a Value, comparison: &str, name: &str) -> &'a Value {
    let by_name = |all: &'a Value, name: &str| {
        let mut all = all.as_array().unwrap().iter();
        all.find(|it| it["name"] == name).unwrap()
    };
    by_name(
        &by_name(&record["comparisons"], comparison)["figures"],
        name,
    )
}

#[test]
fn the_gateway_takes_turns_with_a_bare_relay() {
    let page = TempFile::new("turns.html");
    let line = format!(
        "maple --users 5 --rounds 2 --duration 300ms --html {}",
        page.path()
    );
    let (output, record) = record("turns", &line);
    let told = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{told}");
    assert!(told.contains("maple, 2 rounds"), "{told}");
    let comparison = &record["comparisons"][0];
    assert_eq!(
        (&comparison["base"], &comparison["other"]),
        (&"relay".into(), &"gateway".into())
    );
    assert_eq!(comparison["rounds"], 2);
    for name in ["packets received", "added delay p50", "added delay p99"] {
        let ratio = figure(&record, "maple", name);
        let value = |key: &str| ratio[key].as_f64().unwrap();
        assert!(value("base") > 0.0 && value("other") > 0.0, "{name}");
        assert!(
            value("least") <= value("ratio") && value("ratio") <= value("most"),
            "{name}"
        );
    }
    assert_eq!(figure(&record, "maple", "packets lost")["other"], 0.0);
    let parts = record["series"].as_array().unwrap().iter();
    let parts: Vec<_> = parts.map(|it| it["part"].as_str().unwrap()).collect();
    assert_eq!(parts, ["relay", "gateway", "gateway", "relay"]);
    assert_eq!(names(&record["times"])[0], "added delay");
    assert!(
        fs::read_to_string(&page.0)
            .unwrap()
            .contains("maple, 2 rounds")
    );
}

#[test]
fn one_server_serves_both_at_once() {
    let page = TempFile::new("together.html");
    let line = format!(
        "together --users 4 --sessions 4 --rate 400 --rounds 1 --duration 500ms --login-rate 100 \
         --max-lost 0 --html {}",
        page.path()
    );
    let (output, record) = record("together", &line);
    let told = stdout(&output) + &stderr(&output);
    assert_eq!(output.status.code(), Some(0), "{told}");
    for part in [
        "kaillera, 1 round",
        "sum of both alone",
        "added delay, maple together",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert_eq!(record["users"]["asked"], 8);
    assert_eq!(record["frames"]["received"], record["frames"]["expected"]);
    // Half a second alone, together, and at a server of their own.
    assert_eq!(record["extra"]["packets due"], 600.0);
    assert_eq!(record["extra"]["packets done"], 600.0);
    for (name, what) in [
        ("kaillera", "added delay p99"),
        ("kaillera", "frames received"),
        ("maple", "added delay p99"),
        ("maple", "packets received"),
        ("kaillera apart", "added delay p99"),
        ("maple apart", "packets received"),
    ] {
        for setup in ["base", "other", "ratio"] {
            let value = &figure(&record, name, what)[setup];
            assert!(value.as_f64().unwrap() > 0.0, "{name}, {what}: {value}");
        }
    }
    let lost = [("kaillera", "frames lost"), ("maple", "packets lost")];
    for (name, what) in lost {
        let lost = figure(&record, name, what);
        assert_eq!((&lost["base"], &lost["other"]), (&0.0.into(), &0.0.into()));
    }
    if cfg!(target_os = "linux") {
        let cores = figure(&record, "processor", "cores used");
        assert!(cores["base"].as_f64().unwrap() > 0.0, "{cores}");
        assert!(record["server"]["resident"].as_u64().unwrap() > 0);
    }
    let mut series = record["series"].as_array().unwrap().iter();
    let both = series.find(|it| it["part"] == "together").unwrap();
    assert!(both["delay"]["p50"].as_f64().unwrap() > 0.0);
    assert!(both["stream_delay"]["p50"].as_f64().unwrap() > 0.0);
    assert!(
        fs::read_to_string(&page.0)
            .unwrap()
            .contains("added delay of streams")
    );
}

#[test]
fn a_server_of_ones_own_leads_to_the_world() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let world = free.local_addr().unwrap();
    drop(free);
    let mut config = Config::default();
    config.net.bind = vec![Ipv4Addr::LOCALHOST.into()];
    config.net.port = 0;
    config.net.loops = 1;
    config.gateway.login = Some(world);
    let server = Server::start(&config).unwrap();
    let target = server.addresses()[0];
    let line = format!(
        "together --target {target} --world {world} --users 2 --sessions 2 --rate 100 --rounds 1 \
         --duration 200ms --login-rate 100 --max-lost 0"
    );
    let (output, record) = record("own", &line);
    let told = stdout(&output) + &stderr(&output);
    assert_eq!(output.status.code(), Some(0), "{told}");
    assert_eq!(record["extra"]["packets done"], 40.0);
    let comparisons = record["comparisons"].as_array().unwrap().len();
    assert_eq!(comparisons, 3, "nothing apart without a second server");
    let metrics = server.metrics();
    assert_eq!(metrics.maple_sessions.get(), 4, "two alone, two together");
    assert_eq!(metrics.logins.get(), 4);
    assert!(metrics.maple_relayed_out.get() >= 40);
}

#[test]
fn a_server_that_does_not_start_is_a_failure() {
    let output = load("together --server no/such/samara --users 2 --duration 100ms");
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("no/such/samara"));
}

#[test]
fn nobody_there_is_a_failure() {
    let nobody = UdpSocket::bind("127.0.0.1:0").unwrap();
    let target = nobody.local_addr().unwrap();
    let line = format!("pps --target {target} --users 3 --rate 10 --duration 200ms");
    let (output, record) = record("nobody", &line);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(record["extra"]["pings lost"], 2.0);
}

#[test]
fn wrong_options_exit_with_2() {
    for line in [
        "kaillera --target 192.0.2.1:27888",
        "pps --rate 1000001",
        "demo --duration 2h",
        "maple --size 17",
    ] {
        let output = load(line);
        assert_eq!(output.status.code(), Some(2), "{line}");
        assert_eq!(stdout(&output), "");
    }
}

#[test]
fn two_runs_are_compared() {
    let [before, after, page] = ["before.json", "after.json", "both.html"].map(TempFile::new);
    for file in [&before, &after] {
        let line = "echo --rate 100 --users 5 --duration 200ms --json";
        assert_eq!(
            load(&format!("{line} {}", file.path())).status.code(),
            Some(0)
        );
    }
    for spelling in ["compare", "--compare"] {
        let (before, after, page) = (before.path(), after.path(), page.path());
        let output = load(&format!("{spelling} {before} {after} --html {page}"));
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert!(stdout(&output).contains("round trip"));
    }
    assert!(fs::read_to_string(&page.0).unwrap().contains("<svg"));
    let output = load(&format!("compare {} no/such.json", before.path()));
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("no/such.json"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn help_says_what_is_measured() {
    let output = load("help kaillera");
    let told = stdout(&output);
    for part in [
        "added delay",
        "--max-p99",
        "Exit status:",
        "recording",
        "Examples:",
    ] {
        assert!(told.contains(part), "{part}");
    }
    let told = stdout(&load("--help"));
    for part in [
        "demo",
        "compare",
        "echo",
        "together",
        "--this-is-my-own-server",
    ] {
        assert!(told.contains(part), "{part}");
    }
}

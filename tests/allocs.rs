//! The allocation profiler as somebody meets it who runs it.

#![expect(
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// A directory of the test's own, gone at its end; the tool's temporary files are in it, too.
struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn run(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_samara-allocs"))
            .args(arguments)
            .args(["--loops", "1", "--json", "record.json"])
            .current_dir(&self.0)
            .env("TMPDIR", &self.0)
            .env("TMP", &self.0)
            .output()
            .unwrap()
    }

    fn record(&self) -> Value {
        let text = fs::read_to_string(self.0.join("record.json")).unwrap();
        serde_json::from_str(&text).unwrap()
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        _ = fs::remove_dir_all(&self.0);
    }
}

fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn phase<'a>(record: &'a Value, name: &str) -> &'a Value {
    let phases = record["phases"].as_array().unwrap();
    phases.iter().find(|phase| phase["name"] == name).unwrap()
}

#[test]
fn a_short_reference_is_counted() {
    let directory = Directory::new("allocs-reference");
    let output = directory.run(&["reference", "--speed", "1000", "--duration", "2s"]);
    assert!(stdout(&output).contains("this server"));
    let record = directory.record();
    assert_eq!(record["format"], 1);
    assert_eq!(record["options"]["speed"], "1000");

    let game = phase(&record, "game");
    assert_eq!(
        (&game["messages"], &game["allocations"]),
        (&119.into(), &0.into())
    );
    assert!(game["datagrams_in"].as_u64().unwrap() >= 119);
    assert!(game["datagrams_out"].as_u64().unwrap() >= 119);

    let start = phase(&record, "start");
    assert!(start["bytes"].as_u64().unwrap() > 100_000);
    let total = &record["total"];
    assert!(total["bytes"].as_u64().unwrap() < 1_000_000, "{total}");
    assert_eq!(total["live"], 0, "all is given back");
    assert!(total["peak"].as_i64().unwrap() <= total["bytes"].as_i64().unwrap());
}

#[test]
fn sites_add_up_to_what_was_counted() {
    let directory = Directory::new("allocs-sites");
    let output = directory.run(&[
        "reference",
        "--speed",
        "1000",
        "--duration",
        "1s",
        "--sites",
    ]);
    assert!(stdout(&output).contains("samara::buffer::pool::"));
    let record = directory.record();
    let sites = record["sites"].as_array().unwrap();
    for amount in ["bytes", "allocations"] {
        let sum: u64 = sites
            .iter()
            .map(|site| site[amount].as_u64().unwrap())
            .sum();
        assert_eq!(record["total"][amount], sum, "{amount}");
    }
    let places = sites.iter().map(|site| site["place"].as_str().unwrap());
    assert!(
        places
            .clone()
            .any(|place| place.starts_with("src/buffer/pool.rs:"))
    );
}

#[test]
fn all_phases_run() {
    let directory = Directory::new("allocs-phases");
    let output = directory.run(&["phases", "--users", "8", "--inputs", "50"]);
    assert!(stdout(&output).contains("game of 8*"));
    let record = directory.record();
    let names = record["phases"].as_array().unwrap().iter();
    assert_eq!(names.clone().count(), 19);
    for steady in names.filter(|phase| phase["steady"] == true) {
        assert_eq!(steady["allocations"], 0, "{steady}");
    }
    assert_eq!(phase(&record, "game of 4")["messages"], 4 * 49);
    assert_eq!(phase(&record, "maple frames")["messages"], 10_000);
    assert_eq!(record["total"]["live"], 0);
}

#[test]
fn wrong_use_is_said() {
    let directory = Directory::new("allocs-wrong");
    let output = directory.run(&["reference", "--speed", "0"]);
    assert_eq!(output.status.code(), Some(2));
    let output = directory.run(&["reference", "--sites=lunch", "--duration", "1s"]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("there is no phase \"lunch\"; valid: start, login"),
        "{said}"
    );
}

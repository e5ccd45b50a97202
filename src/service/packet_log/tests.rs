use super::*;
use crate::maple::Codec;
use serde_json::Value;
use std::{env, fs, process};

const IV: Iv = Iv::new([0x46, 0x72, 0x7A, 0x52]);

/// A directory of the test's own, gone at its end.
struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Self {
        let path = env::temp_dir().join(format!("samara-{}-{name}", process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn settings(&self, form: Form) -> Settings {
        Settings {
            path: self.0.join("packets"),
            form,
            max_bytes: 1 << 20,
            keep: 2,
            clients: Vec::new(),
            secrets: false,
        }
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.join(name)).unwrap()
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn start(settings: Settings) -> (Recorder, LogThread, Arc<Metrics>) {
    let metrics = Arc::new(Metrics::default());
    let opcodes = Opcodes::find(crate::maple::Region::Gms, 83).unwrap();
    let clock = Clock::start();
    let (log, thread) = PacketLog::start(settings, clock, metrics.clone()).unwrap();
    let recorder = log.recorder("gateway", Profile::GMS_83, opcodes);
    (recorder, thread, metrics)
}

fn record(log: &Recorder, direction: Direction, is_login: bool, payload: &[u8]) {
    let codec = Codec::new(Profile::GMS_83);
    let mut frame = [&[0; 4], payload].concat();
    codec.encoder(direction, IV).encode(&mut frame).unwrap();
    let record = Record {
        at: Time::from_millis(5),
        session: 7,
        direction,
        iv: IV,
        is_login,
    };
    log.record(record, &frame);
}

#[test]
fn packets_are_lines_and_secrets_are_not_in_them() {
    let directory = Directory::new("json");
    let (log, thread, metrics) = start(directory.settings(Form::Json));
    record(&log, Direction::ToServer, true, b"\x01\0hunter2");
    record(&log, Direction::ToServer, false, b"\x14\0\x31\x75\0\0key");
    record(&log, Direction::ToServer, false, b"\x31\0hi");
    record(&log, Direction::ToClient, true, b"\0\0ok");
    drop(thread);
    let text = directory.read("packets");
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    let lines: Vec<Value> = lines.collect();
    let payload = |n: usize| (lines[n]["payload"].as_str().unwrap(), &lines[n]["masked"]);
    assert_eq!(payload(0), ("0100", &true.into()));
    assert_eq!(payload(1), ("1400", &true.into()));
    assert_eq!(payload(2), ("31006869", &Value::Null));
    assert_eq!(payload(3), ("00006F6B", &Value::Null));
    let first = &lines[0];
    assert_eq!(
        (&first["session"], &first["length"]),
        (&7.into(), &9.into())
    );
    assert_eq!(
        (&first["opcode"], &first["iv"]),
        (&1.into(), &"46727A52".into())
    );
    assert_eq!(
        (&first["service"], &first["version"]),
        (&"gateway".into(), &83.into())
    );
    let time: jiff::Timestamp = first["time"].as_str().unwrap().parse().unwrap();
    let age = jiff::Timestamp::now().as_second() - time.as_second();
    assert!(age.abs() < 60, "{time}");
    assert_eq!(metrics.maple_logged.get(), 4);
}

#[test]
fn a_dump_is_one_that_other_programs_read() {
    let directory = Directory::new("text");
    let settings = Settings {
        secrets: true,
        ..directory.settings(Form::Text)
    };
    let (log, thread, _) = start(settings);
    record(&log, Direction::ToServer, true, b"\x01\0abcdefghijklmnop");
    drop(thread);
    let text = directory.read("packets");
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(
        lines[0],
        "# gateway session 7, opcode 0x0001, 18 bytes, iv 46727A52"
    );
    assert!(lines[1].starts_with("I 20") && lines[1].ends_with('Z'));
    assert_eq!(
        lines[2],
        "000000 01 00 61 62 63 64 65 66 67 68 69 6a 6b 6c 6d 6e"
    );
    assert_eq!(lines[3..], ["000010 6f 70", ""]);
}

#[test]
fn a_full_file_makes_room_for_the_next() {
    let directory = Directory::new("rotation");
    let settings = Settings {
        max_bytes: 1000,
        ..directory.settings(Form::Json)
    };
    let (log, thread, _) = start(settings);
    for number in 0..40_u8 {
        record(&log, Direction::ToClient, false, &[number, 0, 1, 2]);
    }
    drop(thread);
    let names = fs::read_dir(&directory.0).unwrap();
    let mut names: Vec<_> = names.map(|it| it.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["packets", "packets.1", "packets.2"]);
    let all = ["packets.2", "packets.1", "packets"]
        .map(|name| directory.read(name))
        .concat();
    let last: Value = serde_json::from_str(all.lines().last().unwrap()).unwrap();
    assert_eq!(last["opcode"], 39);
    assert!(directory.read("packets.1").len() < 1200);
}

#[test]
fn what_has_no_room_is_counted_and_nobody_waits() {
    let metrics = Arc::new(Metrics::default());
    let log = PacketLog::new(vec![IpAddr::from([192, 0, 2, 1])], metrics.clone());
    let log = log.recorder("gateway", Profile::GMS_83, Opcodes::default());
    for _ in 0..300 {
        record(&log, Direction::ToClient, false, &[1; 2000]);
    }
    assert_eq!(metrics.maple_log_drops.get(), 300 - 256);
    assert!(log.wants([192, 0, 2, 1].into()) && !log.wants([192, 0, 2, 2].into()));
}

//! The Minecraft targets' corpus: every packet of the vectors, frames, first bytes and sessions.

use super::seeds::{bytes, list, text, write};
use serde_json::Value;
use std::collections::BTreeMap;

#[test]
fn the_minecraft_corpus_is_what_is_written_here() {
    let vectors: Value = serde_json::from_str(include_str!("../data/minecraft.json")).unwrap();
    packets(&vectors);
    frames(&vectors);
    receptions(&vectors);
    sessions(&vectors);
}

fn packets(vectors: &Value) {
    let mut numbers = BTreeMap::new();
    for vector in list(&vectors["packets"]) {
        let (state, direction) = (text(&vector["state"]), text(&vector["direction"]));
        let table: u8 = match (state, direction) {
            ("handshaking", _) => 0,
            ("status", "serverbound") => 1,
            ("status", _) => 2,
            ("login", "serverbound") => 3,
            ("login", _) => 4,
            (_, "serverbound") => 5,
            _ => 6,
        };
        let body = bytes(&vector["body"]);
        // A whole column makes mutations slow and finds nothing more.
        let body = body.get(..600).unwrap_or(&body);
        let name = format!("{state}_{direction}_{}", text(&vector["name"]));
        let number = numbers.entry(name.clone()).or_insert(0);
        *number += 1;
        write(
            "minecraft_packet",
            &format!("{name}_{number}"),
            &[&[table], body].concat(),
        );
    }
}

fn frames(vectors: &Value) {
    // The first byte is the threshold and one more, or 0 for plain frames.
    let mut plain = vec![0, 3];
    for vector in &list(&vectors["packets"])[..40] {
        plain.extend(bytes(&vector["frame"]));
    }
    write("minecraft_frames", "plain", &plain);
    write("minecraft_frames", "cut", &plain[..300]);
    for vector in list(&vectors["compressed"]) {
        let threshold = vector["threshold"].as_u64().unwrap().min(200) as u8;
        let frame = [&[threshold + 1, 7][..], &bytes(&vector["frame"])].concat();
        let name = text(&vector["name"]).replace([' ', '(', ')', ','], "_");
        write("minecraft_frames", &name, &frame);
    }
    for (at, vector) in list(&vectors["invalid"]).iter().enumerate() {
        let (threshold, kind) = match text(&vector["kind"]) {
            "frame" => (0, "plain"),
            "compressed_frame" => (201, "compressed"),
            _ => continue,
        };
        let frame = [&[threshold, 1][..], &bytes(&vector["hex"])].concat();
        let name = format!("{kind}_{}_{at}", text(&vector["error"]));
        write("minecraft_frames", &name, &frame);
    }
}

fn receptions(vectors: &Value) {
    for (at, vector) in list(&vectors["legacy_ping"]["requests"]).iter().enumerate() {
        let request = [&[1][..], &bytes(&vector["hex"])].concat();
        write("minecraft_reception", &format!("legacy_{at}"), &request);
    }
    let status = b"\x03\x10\0\xD4\x02\x09localhost\x63\xDD\x01\x01\0\x09\x01\0\0\0\0\0\0\0\x05";
    write("minecraft_reception", "status", status);
    let login = b"\x02\x10\0\xD4\x02\x09localhost\x63\xDD\x02\x07\0\x05Notch";
    write("minecraft_reception", "login", login);
    let old = b"\x05\x0F\0\x2F\x09localhost\x63\xDD\x02\x07\0\x05Notch";
    write("minecraft_reception", "login_of_1_8", old);
    write("minecraft_reception", "http", b"\x01GET / HTTP/1.1\r\n\r\n");
}

fn sessions(vectors: &Value) {
    let recorded: Vec<_> = list(&vectors["session"]["frames"])
        .iter()
        .filter(|frame| frame["state"] == "play")
        .map(|frame| (frame["direction"] == "clientbound", text(&frame["name"])))
        .collect();
    let body_of = |direction: &str, name: &str| {
        let packets = list(&vectors["packets"]).iter();
        let mut packets = packets.filter(|it| {
            it["state"] == "play" && it["direction"] == direction && it["name"] == name
        });
        packets.next().map(|it| bytes(&it["body"]))
    };
    let mut script = Vec::new();
    for (is_clientbound, name) in recorded {
        let (what, direction) = match is_clientbound {
            true => (0, "clientbound"),
            false => (4, "serverbound"),
        };
        if let Some(body) = body_of(direction, name) {
            push(&mut script, what, &body[..body.len().min(300)]);
        }
    }
    write("minecraft_session", "recorded", &script);
    let everything = |begin: &[(u8, &[u8])]| {
        let mut script = Vec::new();
        let join = body_of("clientbound", "login").unwrap();
        push(&mut script, 0, &join);
        begin
            .iter()
            .for_each(|(what, body)| push(&mut script, *what, body));
        for vector in list(&vectors["packets"]) {
            let body = bytes(&vector["body"]);
            if vector["state"] == "play"
                && vector["name"] != "login"
                && vector["name"] != "kick_disconnect"
            {
                let what = if vector["direction"] == "clientbound" {
                    0
                } else {
                    4
                };
                push(&mut script, what, &body[..body.len().min(300)]);
            }
        }
        script
    };
    write("minecraft_session", "every_packet_alone", &everything(&[]));
    let attached = everything(&[(5, &[0]), (5, &[0])]);
    write("minecraft_session", "every_packet_attached", &attached);
    let mut script = everything(&[(5, &[0])]);
    for what in [7, 7, 5, 6, 7, 7, 5, 5, 7, 6] {
        push(&mut script, what, &[0]);
    }
    write("minecraft_session", "comes_and_goes", &script);
    let mut script = Vec::new();
    let column = b"\x20\0\0\0\0\0\0\0\0\x01\x01\x0A0123456789\0";
    for x in 0..12 {
        let mut column = column.to_vec();
        column[4] = x;
        column[9] = u8::from(x != 5);
        push(&mut script, 0, &column);
        push(&mut script, 0, b"\x0B\0\0\0\x40\x08\0\0\x03\x10");
    }
    write("minecraft_session", "columns_beyond_the_limit", &script);
}

fn push(script: &mut Vec<u8>, what: u8, body: &[u8]) {
    script.push(what);
    script.extend((body.len() as u16).to_le_bytes());
    script.extend(body);
}

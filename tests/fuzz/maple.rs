//! The Maple targets' corpus: frames of each profile, whole and hurt, and hellos.

use super::seeds::{bytes, list, text, write};
use samara::maple::{Codec, Direction, Iv, Profile};
use serde_json::Value;

/// What the fuzz functions take for the profile they number 0.
const FIRST: Profile = Profile::GMS_83;
const IV: [u8; 4] = [0x46, 0x72, 0x7A, 0x52];

#[test]
fn the_maple_corpus_is_what_is_written_here() {
    let vectors: Value = serde_json::from_str(include_str!("../data/maple.json")).unwrap();
    for (at, case) in list(&vectors["hello"]["cases"]).iter().enumerate() {
        let form = match text(&case["name"]) {
            name if name.starts_with("KMS") => 1,
            name if name.starts_with("VMS") => 2,
            name if name.starts_with("IMS") => 3,
            _ => 0,
        };
        let hello = [&[form], bytes(&case["hex"]).as_slice()].concat();
        write("maple_hello", &format!("case_{at:02}"), &hello);
    }
    write("maple_hello", "length_of_65535", &[0, 0xFF, 0xFF, 83, 0]);
    write("maple_hello", "cut_patch", b"\0\x0E\0\x53\0\xFF\xFF1");

    let frames = frames_to_server(&[&[0x11, 0], &[0x22, 0, 1, 2, 3], &[7; 100]]);
    for profile in 0..7 {
        let name = format!("profile_{profile}");
        write("maple_decoder", &name, &script(profile, 3, &frames));
        let payloads = [&[2, 0x11, 0, 0, 40][..], &[9; 40], &[255], &[8; 20]].concat();
        let name = format!("profile_{profile}_payloads");
        write("maple_round_trip", &name, &script(profile, 5, &payloads));
    }
    let cut = &frames[..frames.len() - 1];
    write("maple_decoder", "cut_frame", &script(0, 1, cut));
    write("maple_decoder", "header_alone", &script(0, 2, &frames[..4]));
    let mut wrong = frames.clone();
    wrong[6] ^= 1;
    write(
        "maple_decoder",
        "wrong_second_header",
        &script(0, 7, &wrong),
    );
    let too_long = [0, 0, 0xFF, 0xFF, 1, 2, 3, 4, 5];
    write(
        "maple_decoder",
        "longer_than_allowed",
        &script(6, 1, &too_long),
    );
    write("maple_round_trip", "empty_payloads", &script(1, 1, &[0; 9]));
}

/// Profile, split and IV, then what follows.
fn script(profile: u8, split: u8, rest: &[u8]) -> Vec<u8> {
    [&[profile, split], &IV[..], rest].concat()
}

fn frames_to_server(payloads: &[&[u8]]) -> Vec<u8> {
    let codec = Codec::new(FIRST);
    let mut encoder = codec.encoder(Direction::ToServer, Iv::new(IV));
    let mut stream = Vec::new();
    for payload in payloads {
        let mut frame = [&[0; 4], *payload].concat();
        encoder.encode(&mut frame).unwrap();
        stream.extend(frame);
    }
    stream
}

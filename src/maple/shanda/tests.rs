use super::*;
use crate::maple::tests::{VECTORS, cases, check, lcg, number, plain, sha256, unhex};
use proptest::prelude::*;
use sha2::{Digest, Sha256};

fn encrypted(shanda: Shanda, data: &[u8]) -> Vec<u8> {
    let mut data = data.to_vec();
    shanda.encrypt(&mut data);
    data
}

fn decrypted(shanda: Shanda, data: &[u8]) -> Vec<u8> {
    let mut data = data.to_vec();
    shanda.decrypt(&mut data);
    data
}

#[test]
fn every_backend_gives_the_vectors() {
    for shanda in Shanda::all() {
        for case in cases("shanda") {
            let len = number(&case["n"]);
            let what = format!("{}, {len} bytes", shanda.name());
            let data = plain(len);
            assert_eq!(sha256(&data), unhex(&case["input_sha256"]), "{what}");
            let there = encrypted(shanda, &data);
            check(&there, &case["encrypt_of_input"], &what);
            assert_eq!(decrypted(shanda, &there), data, "{what}");
            let back = decrypted(shanda, &data);
            check(&back, &case["decrypt_of_input"], &what);
            assert_eq!(encrypted(shanda, &back), data, "{what}");
        }
    }
}

#[test]
fn every_backend_gives_the_patterns() {
    for shanda in Shanda::all() {
        for case in cases("shanda_patterns") {
            let len = number(&case["n"]);
            let data = match case["pattern"].as_str().unwrap() {
                "zeros" => vec![0; len],
                "ones" => vec![0xFF; len],
                "ramp" => (0..len).map(|at| at as u8).collect(),
                other => panic!("no such pattern: {other}"),
            };
            let what = format!("{}, {}, {len} bytes", shanda.name(), case["pattern"]);
            assert_eq!(encrypted(shanda, &data), unhex(&case["encrypt"]), "{what}");
            assert_eq!(decrypted(shanda, &data), unhex(&case["decrypt"]), "{what}");
        }
    }
}

#[test]
fn every_backend_gives_the_digests_of_the_first_lengths() {
    let expected = &VECTORS["shanda_sweep"];
    for shanda in Shanda::all() {
        let (mut there, mut back) = (Sha256::new(), Sha256::new());
        for data in (0..=600).map(plain) {
            there.update(encrypted(shanda, &data));
            back.update(decrypted(shanda, &data));
        }
        assert_eq!(
            there.finalize()[..],
            unhex(&expected["encrypt_sha256"]),
            "{}",
            shanda.name()
        );
        assert_eq!(
            back.finalize()[..],
            unhex(&expected["decrypt_sha256"]),
            "{}",
            shanda.name()
        );
    }
}

#[test]
fn each_pass_gives_the_trace() {
    for case in cases("shanda_trace") {
        let input = unhex(&case["input"]);
        let mut data = input.clone();
        for (pass, expected) in case["after_each_encrypt_pass"]
            .as_array()
            .unwrap()
            .iter()
            .enumerate()
        {
            match pass % 2 {
                0 => scalar::encrypt_forward(&mut data),
                _ => scalar::encrypt_backward(&mut data),
            }
            assert_eq!(
                data,
                unhex(expected),
                "encryption of {input:?}, pass {pass}"
            );
        }
        let mut data = input.clone();
        let passes = &case["after_each_decrypt_pass_of_same_input"];
        for (pass, expected) in passes.as_array().unwrap().iter().enumerate() {
            match pass % 2 {
                0 => scalar::decrypt_backward(&mut data),
                _ => scalar::decrypt_forward(&mut data, input.len()),
            }
            assert_eq!(
                data,
                unhex(expected),
                "decryption of {input:?}, pass {pass}"
            );
        }
    }
}

#[test]
fn five_bytes_show_an_opcode() {
    for case in cases("shanda_locality") {
        let len = number(&case["n"]);
        let mut start = unhex(&case["cipher_first5"]);
        let shown = Shanda::detect().decrypt_prefix(&mut start, len);
        assert_eq!(shown[..2], unhex(&case["plain_first2"]), "of {len} bytes");
    }
}

#[test]
fn a_prefix_shows_all_but_its_last_three_bytes() {
    for len in [0, 1, 2, 3, 4, 5, 6, 40, 255, 256, 257, 1460] {
        let data = plain(len);
        let there = encrypted(Shanda::scalar(), &data);
        for known in 0..=len {
            let shown = if known == len {
                len
            } else {
                known.saturating_sub(3)
            };
            let mut start = there[..known].to_vec();
            let start = Shanda::detect().decrypt_prefix(&mut start, len);
            assert_eq!(start, &data[..shown], "{known} of {len} bytes");
        }
    }
}

/// Compares a backend with the definition on a slice in the middle of `room`, which it must not
/// touch elsewhere.
fn compare(shanda: Shanda, room: &[u8], from: usize, to: usize) {
    let what = format!("{}, {} bytes from {from}", shanda.name(), to - from);
    let mut expected = room.to_vec();
    scalar::encrypt(&mut expected[from..to]);
    let mut data = room.to_vec();
    shanda.encrypt(&mut data[from..to]);
    assert!(data == expected, "encryption, {what}");
    shanda.decrypt(&mut data[from..to]);
    assert!(data == room, "decryption of the encrypted, {what}");

    scalar::decrypt(&mut expected[from..to]);
    assert!(expected == room, "the definition undone, {what}");
    scalar::decrypt(&mut expected[from..to]);
    shanda.decrypt(&mut data[from..to]);
    assert!(data == expected, "decryption, {what}");
}

#[test]
fn every_backend_is_the_definition_at_each_short_length() {
    for shanda in Shanda::all() {
        for len in 0..=600 {
            let from = len % 67;
            compare(shanda, &lcg(len as u32, len + 150), from, from + len);
        }
    }
}

#[test]
fn every_backend_is_the_definition_around_whole_tiles() {
    for shanda in Shanda::all() {
        for tiles in [3, 4, 5, 8, 127] {
            for len in 512 * tiles - 9..=512 * tiles + 9 {
                compare(shanda, &lcg(len as u32, len + 2), 1, 1 + len);
            }
        }
    }
}

#[test]
fn backends_have_names_of_their_own_and_the_best_is_one_of_them() {
    let mut names: Vec<_> = Shanda::all().into_iter().map(Shanda::name).collect();
    assert!(names.contains(&Shanda::detect().name()));
    assert_eq!(names[0], Shanda::scalar().name());
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), Shanda::all().len());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_backend_is_the_definition(seed: u32, len in 0..=65_535_usize, from in 0..64_usize) {
        let room = lcg(seed, from + len + 64);
        for shanda in Shanda::all() {
            compare(shanda, &room, from, from + len);
        }
    }

    #[test]
    fn every_backend_is_the_definition_of_packets(
        payload in prop::collection::vec(any::<u8>(), 0..2100),
    ) {
        for shanda in Shanda::all() {
            compare(shanda, &payload, 0, payload.len());
        }
    }
}

/// Short enough for an interpreter that looks at every access.
#[test]
fn every_backend_is_the_definition_on_short_payloads() {
    for shanda in Shanda::all() {
        for len in [0, 1, 2, 3, 7, 8, 9, 31, 33, 64, 70, 300] {
            let data = plain(len);
            let mut expected = data.clone();
            scalar::encrypt(&mut expected);
            let sealed = encrypted(shanda, &data);
            assert_eq!(sealed, expected, "{} at {len}", shanda.name());
            assert_eq!(
                decrypted(shanda, &sealed),
                data,
                "{} at {len}",
                shanda.name()
            );
        }
    }
}

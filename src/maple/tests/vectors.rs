use super::*;
use crate::buffer::Writer;
use crate::maple::iv::step;

fn standard(key: Key) -> KeySchedule {
    KeySchedule::new(key)
}

#[test]
fn shanda_of_all_lengths() {
    for case in cases("shanda") {
        let len = number(&case["n"]);
        for shanda in shanda::Shanda::all() {
            let what = format!("{} of {len} bytes", shanda.name());
            let mut data = plain(len);
            shanda.encrypt(&mut data);
            check(&data, &case["encrypt_of_input"], &what);
            shanda.decrypt(&mut data);
            assert_eq!(data, plain(len), "{what}");
            shanda.decrypt(&mut data);
            check(&data, &case["decrypt_of_input"], &what);
        }
    }
}

#[test]
fn keys_are_the_vectors_keys() {
    let keys = &VECTORS["constants"]["keys"];
    assert_eq!(Key::DEFAULT.expanded().to_vec(), unhex(&keys["default"]));
    assert_eq!(CYCLE[16].expanded().to_vec(), unhex(&keys["second"]));
}

#[test]
fn aes_of_all_lengths_keys_and_ivs() {
    for case in cases("aes") {
        let (iv, len) = (iv(&case["iv"]), number(&case["n"]));
        let schedule = standard(key(&case["key"]));
        let mut data = plain(len);
        schedule.crypt(StartBlock::Standard, iv, FIRST_CHUNK, &mut data);
        check(&data, &case["out"], &format!("{iv:?} {len}"));
        schedule.crypt(StartBlock::Standard, iv, FIRST_CHUNK, &mut data);
        assert_eq!(data, plain(len));
        assert_eq!(iv.shuffled(), self::iv(&case["iv_after"]));
    }
}

#[test]
fn keystreams() {
    for case in cases("keystream") {
        let (iv, schedule) = (iv(&case["iv"]), standard(key(&case["key"])));
        let mut keystream = Keystream::new();
        schedule.fill(StartBlock::Standard, iv, NEXT_CHUNK, &mut keystream);
        let bytes = &keystream.bytes()[..NEXT_CHUNK];
        assert_eq!(bytes[..64], unhex(&case["first64"]));
        assert_eq!(bytes[1440..], unhex(&case["bytes1440_1459"]));
        assert_eq!(sha256(bytes), unhex(&case["sha256_first1460"]));
        assert_eq!(
            schedule.first_block(StartBlock::Standard, iv),
            bytes[..BLOCK]
        );
        let mut zeros = vec![0; 65_535];
        schedule.crypt(StartBlock::Standard, iv, FIRST_CHUNK, &mut zeros);
        assert_eq!(sha256(&zeros), unhex(&case["sha256_65535_zero_bytes"]));
    }
    let full = &VECTORS["keystream_full"];
    let mut keystream = Keystream::new();
    standard(Key::DEFAULT).fill(StartBlock::Standard, iv(&full["iv"]), 1460, &mut keystream);
    assert_eq!(keystream.bytes()[..1460], unhex(&full["hex_1460"]));
}

#[test]
fn an_extended_header_shortens_the_first_chunk() {
    let case = &VECTORS["aes_extended_first_chunk"];
    let mut data = lcg(5, 70_000);
    let schedule = standard(key(&case["key"]));
    let iv = iv(&case["iv"]);
    schedule.crypt(StartBlock::Standard, iv, FIRST_CHUNK_EXTENDED, &mut data);
    assert_eq!(sha256(&data), unhex(&case["sha256"]));
    assert_eq!(data[1448..1464], unhex(&case["bytes_1448_1463"]));
}

#[test]
fn start_blocks() {
    for case in cases("old_iv_blocks") {
        let kind = match case["kind"].as_str().unwrap() {
            "dup" => StartBlock::Duplicate,
            _ => StartBlock::Tms,
        };
        let iv = iv(&case["iv"]);
        assert_eq!(kind.bytes(iv).to_vec(), unhex(&case["block"]));
        let first = standard(Key::DEFAULT).first_block(kind, iv);
        assert_eq!(first.to_vec(), unhex(&case["first_keystream_block"]));
    }
}

#[test]
fn shuffles() {
    for case in cases("iv_step") {
        let state = unhex(&case["state"]).try_into().unwrap();
        let out = step(state, unhex(&case["byte"])[0]);
        assert_eq!(out.to_vec(), unhex(&case["out"]));
    }
    for case in cases("iv_chain") {
        let mut at = iv(&case["start"]);
        let mut all = Vec::new();
        for step in 1..=1000 {
            at = at.shuffled();
            all.extend(at.bytes());
            if let Some(expected) = case["checkpoints"].get(step.to_string()) {
                assert_eq!(at, iv(expected), "step {step}");
            }
        }
        assert_eq!(sha256(&all), unhex(&case["sha256_of_1000"]));
    }
    let long = &VECTORS["iv_chain_long"];
    let mut at = iv(&long["start"]);
    for step in 1..=1_000_000 {
        at = at.shuffled();
        if step % 10_000 == 0
            && let Some(expected) = long["checkpoints"].get(step.to_string())
        {
            assert_eq!(at, iv(expected), "step {step}");
        }
    }
}

#[test]
fn cycles() {
    for (case, (len, member)) in cases("iv_cycles").zip(CYCLES) {
        assert_eq!(number(&case["length"]), len as usize);
        let start = iv(&case["iv"]);
        let mut at = start;
        let mut met = false;
        for _ in 0..len {
            met |= at == member;
            at = at.shuffled();
        }
        assert_eq!(at, start);
        assert!(met, "{member:?} is on the cycle of {len}");
    }
}

#[test]
fn headers_both_ways() {
    let tables = [
        ("headers", HeaderForm::Standard),
        ("headers_extended", HeaderForm::Extended),
    ];
    for (section, form) in tables {
        for row in VECTORS[section]["rows"].as_array().unwrap() {
            let (version, iv) = (number(&row[0]) as u16, iv(&row[1]));
            let len = number(&row[2]);
            let ways = [Direction::ToClient, Direction::ToServer];
            for (direction, expected) in ways.into_iter().zip([&row[3], &row[4]]) {
                let mask = direction.mask(version);
                let header = Header::new(form, mask, iv, len).unwrap();
                assert_eq!(header.to_vec(), unhex(expected));
                let announced = Announced::parse(form, mask, iv, &header).unwrap();
                let header_len = header.len();
                assert_eq!(announced, Some(Announced { header_len, len }));
                let other = Announced::parse(form, !mask, iv, &header);
                assert_eq!(other, Err(DecodeError::BadHeader));
            }
        }
    }
}

fn direction(case: &Value) -> Direction {
    match case["dir"].as_str().unwrap() {
        "s2c" => Direction::ToClient,
        _ => Direction::ToServer,
    }
}

fn packets(section: &str, codec: impl Fn(&Value) -> Codec, payload_seed: u32) {
    let mut session: Option<(Encoder, Decoder)> = None;
    for case in cases(section) {
        let (index, len) = (number(&case["index"]) as u32, number(&case["n"]));
        let payload = lcg(payload_seed.wrapping_add(index), len);
        if index == 0 {
            let (codec, way, iv) = (codec(case), direction(case), iv(&case["iv"]));
            let decoder = codec.decoder(way, iv).accepting(0..=65_535);
            session = Some((codec.encoder(way, iv), decoder));
        }
        let (encoder, decoder) = session.as_mut().unwrap();
        assert_eq!(encoder.iv(), iv(&case["iv"]));
        let mut frame = [&[0; 4], &payload[..]].concat();
        encoder.encode(&mut frame).unwrap();
        match case.get("packet") {
            Some(packet) => assert_eq!(frame, unhex(packet), "packet of {len} bytes"),
            None => assert_eq!(sha256(&frame), unhex(&case["sha256"]), "{len} bytes"),
        }
        assert_eq!(encoder.iv(), iv(&case["iv_after"]));

        let opcode = decoder.peek_opcode(&frame).unwrap();
        let first = payload
            .first_chunk()
            .map(|&first| u16::from_le_bytes(first));
        if codec(case).profile().opcode_len == 2 {
            assert_eq!(opcode, first);
        } else {
            assert_eq!(opcode, payload.first().map(|&byte| byte.into()));
        }
        let Ok(Decoded::Packet { payload: got, .. }) = decoder.decode(&mut frame) else {
            panic!("not decoded");
        };
        assert_eq!(got, payload);
        assert_eq!(decoder.iv(), encoder.iv());
    }
}

#[test]
fn whole_packets_both_ways() {
    packets(
        "packets",
        |case| {
            Codec::new(Profile {
                version: number(&case["version"]) as u16,
                ..Profile::GMS_83
            })
        },
        0xC0FF_EE00,
    );
}

#[test]
fn packets_without_aes() {
    packets(
        "packets_shanda_only",
        |_| Codec::new(Profile::GMS_28),
        0xBEEF_0000,
    );
}

#[test]
fn the_key_follows_the_real_version() {
    let case = &VECTORS["packets_v156"];
    let codec = Codec::new(Profile {
        version: 156,
        key: KeyList::Cycle { shift: 0 }.key(156).unwrap(),
        ..Profile::GMS_83
    });
    let frame = |codec: &Codec, direction| {
        let mut frame = [vec![0; 4], lcg(7, 64)].concat();
        let mut encoder = codec.encoder(direction, iv(&case["iv"]));
        encoder.encode(&mut frame).unwrap();
        frame
    };
    let to_client = frame(&codec, Direction::ToClient);
    assert_eq!(to_client, unhex(&case["server_to_client_fixed"]));
    let to_server = frame(&codec, Direction::ToServer);
    assert_eq!(to_server, unhex(&case["client_to_server"]));
    let seed = Codec::new(Profile {
        key: Key::DEFAULT,
        ..*codec.profile()
    });
    let as_java = frame(&seed, Direction::ToClient);
    assert_eq!(as_java, unhex(&case["server_to_client_as_java"]));
}

#[test]
fn the_digests_that_the_published_libraries_check() {
    let java = &VECTORS["benchmark_digests"];
    let iv = iv(&java["iv"]);
    let schedule = standard(Key::DEFAULT);
    let digests = |payload: &[u8]| {
        let mut custom = payload.to_vec();
        shanda::Shanda::detect().encrypt(&mut custom);
        let mut aes = payload.to_vec();
        schedule.crypt(StartBlock::Standard, iv, FIRST_CHUNK, &mut aes);
        (sha256(&custom), sha256(&aes))
    };
    for payload in java["payloads"].as_array().unwrap() {
        let (index, len) = (number(&payload["index"]) as u64, number(&payload["n"]));
        let plain = jrand(0x1234_ABCD + index, len);
        assert_eq!(sha256(&plain), unhex(&payload["payload_sha256"]));
        let (custom, aes) = digests(&plain);
        assert_eq!(custom, unhex(&payload["custom_sha256"]));
        assert_eq!(aes, unhex(&payload["aes_sha256"]));
        let mut frame = [vec![0; 4], plain].concat();
        let codec = Codec::new(Profile::GMS_83);
        let mut encoder = codec.encoder(Direction::ToServer, iv);
        encoder.encode(&mut frame).unwrap();
        assert_eq!(sha256(&frame), unhex(&payload["packet_c2s_v83_sha256"]));
        if len == 512 {
            let checked = &java["checked_by_benchmark"];
            assert_eq!(custom, unhex(&checked["custom_512"]));
            assert_eq!(aes, unhex(&checked["aes_512"]));
        }
    }
    let csharp = &VECTORS["csharp_digests"];
    let (custom, aes) = digests(&plain(512));
    assert_eq!(custom, unhex(&csharp["custom_sha256"]));
    assert_eq!(aes, unhex(&csharp["aes_sha256"]));
}

#[test]
fn a_payload_changes_sessions_without_shanda() {
    let case = &VECTORS["rekey_without_shanda"];
    let schedule = standard(Key::DEFAULT);
    let of = |name: &str| KeystreamOf {
        schedule: &schedule,
        start: StartBlock::Standard,
        iv: iv(&case[name]),
    };
    let mut body = unhex(&case["body_from"]);
    rekey(of("iv_from"), of("iv_to"), FIRST_CHUNK, &mut body);
    assert_eq!(body, unhex(&case["body_to"]));
}

#[test]
fn the_other_ciphers() {
    type Cipher = fn(Iv, &mut [u8]);
    let ciphers: [(&str, Cipher, Cipher, IvUpdate); 3] = [
        (
            "kms",
            cipher::kms_encrypt,
            cipher::kms_decrypt,
            IvUpdate::Shuffle,
        ),
        (
            "xor_cipher",
            cipher::xor_encrypt,
            cipher::xor_decrypt,
            IvUpdate::Lcg,
        ),
        (
            "linear_cipher",
            cipher::linear_encrypt,
            cipher::linear_decrypt,
            IvUpdate::Shuffle,
        ),
    ];
    for (section, encrypt, decrypt, update) in ciphers {
        for case in cases(section) {
            let (iv, len) = (iv(&case["iv"]), number(&case["n"]));
            let mut data = plain(len);
            encrypt(iv, &mut data);
            check(&data, &case["encrypted"], section);
            decrypt(iv, &mut data);
            assert_eq!(data, plain(len));
            assert_eq!(update.next(iv), self::iv(&case["iv_after"]));
        }
    }
}

#[test]
fn hellos_are_read_and_written() {
    for case in cases("hello") {
        let bytes = unhex(&case["hex"]);
        let name = case["name"].as_str().unwrap();
        let form = match name {
            name if name.starts_with("VMS") => HelloForm::Bare,
            name if name.starts_with("IMS") => HelloForm::Ims,
            _ => HelloForm::Patch,
        };
        let (hello, len) = Hello::parse(form, &bytes).unwrap().unwrap();
        assert_eq!(len, bytes.len(), "{name}");
        let version = case.get("version").unwrap_or(&case["real_version"]);
        assert_eq!(usize::from(hello.version), number(version), "{name}");
        assert_eq!(usize::from(hello.locale), number(&case["locale"]), "{name}");
        assert_eq!(hello.to_server, Iv::new(*b"FrzR"), "{name}");
        assert_eq!(hello.to_client, Iv::new(*b"R0xs"), "{name}");
        match hello.release {
            Release::Patch(patch) => {
                assert_eq!(patch, case["patch"].as_str().unwrap().as_bytes(), "{name}");
            }
            Release::Kms(sub) => assert_eq!(usize::from(sub), number(&case["sub"])),
            Release::Ims(sub) => assert_eq!(sub, 1),
            Release::Bare => {}
        }
        let mut buf = [0; 64];
        let mut writer = Writer::new(&mut buf);
        hello.write(&mut writer).unwrap();
        assert_eq!(writer.written(), bytes, "{name}");
        for short in 0..bytes.len() {
            assert_eq!(Hello::parse(form, &bytes[..short]), Ok(None));
            let mut writer = Writer::new(&mut buf[..short]);
            assert!(hello.write(&mut writer).is_err());
            assert!(writer.is_empty());
        }
    }
}

#[test]
fn the_packets_of_a_login() {
    for section in ["first_client_packets", "migration"] {
        for case in cases(section) {
            let (way, plain, wire) = match section {
                "migration" => (Direction::ToClient, "plain_after", "wire_after"),
                _ => (Direction::ToServer, "plain", "wire"),
            };
            let base = match case["aes"].as_bool() {
                Some(true) => Profile::GMS_83,
                _ => Profile::GMS_28,
            };
            let codec = Codec::new(Profile {
                version: number(&case["version"]) as u16,
                ..base
            });
            let mut frame = [vec![0; 4], unhex(&case[plain])].concat();
            let mut encoder = codec.encoder(way, iv(&case["iv"]));
            encoder.encode(&mut frame).unwrap();
            assert_eq!(frame, unhex(&case[wire]));
        }
    }
    let ping = &VECTORS["first_client_packets"]["server_ping"]["v83"];
    let codec = Codec::new(Profile::GMS_83);
    let mut frame = [vec![0; 4], unhex(&ping["plain"])].concat();
    let mut encoder = codec.encoder(Direction::ToClient, iv(&ping["iv"]));
    encoder.encode(&mut frame).unwrap();
    assert_eq!(frame, unhex(&ping["wire"]));
}

#[test]
fn wz_keys() {
    let section = &VECTORS["wz_key"];
    let user: [u8; 128] = unhex(&section["user_key_128"]).try_into().unwrap();
    let key = Key::from_user_key(&user);
    assert_eq!(key.expanded().to_vec(), unhex(&section["trimmed"]));
    for case in cases("wz_key") {
        let mut wz = WzKey::new(iv(&case["iv"]), key);
        assert_eq!(wz.bytes(64).unwrap(), unhex(&case["first64"]));
        assert_eq!(sha256(wz.bytes(4096).unwrap()), unhex(&case["sha256_4096"]));
        let long = wz.bytes(65_536).unwrap();
        assert_eq!(sha256(long), unhex(&case["sha256_65536"]));
        let last = long[65_535];
        assert_eq!(wz.byte(65_535), Ok(last));
        assert_eq!(wz.bytes(WzKey::MAX_LEN + 1), Err(WzKeyTooLong));
        let mut same = user;
        same[1] ^= 1;
        wz.set_user_key(&same);
        assert_eq!(wz, WzKey::new(iv(&case["iv"]), key));
        same[16] ^= 1;
        wz.set_user_key(&same);
        assert_ne!(wz, WzKey::new(iv(&case["iv"]), key));
    }
    for case in section["multiply"].as_array().unwrap() {
        let (input, count) = (unhex(&case["input"]), number(&case["count"]));
        let mut out = vec![0; count * number(&case["times"])];
        repeat_pattern(&input, count, &mut out).unwrap();
        assert_eq!(out, unhex(&case["out"]));
        assert_eq!(repeat_pattern(&input, input.len() + 1, &mut out), None);
    }
    let mut file = vec![0; 0x10060 + 128];
    file[0x10040..0x10044].copy_from_slice(&WzKey::GMS.bytes());
    file[0x10060..].copy_from_slice(&user);
    assert_eq!(WzKey::from_zlz(&file), Some(WzKey::new(WzKey::GMS, key)));
    assert_eq!(WzKey::from_zlz(&file[1..]), None);
}

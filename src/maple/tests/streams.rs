//! Every fast way to a frame against the plain one.

use super::*;
use proptest::{collection::vec, prelude::*};

/// Frames of `payloads` by an encoder without any help.
fn plainly(codec: &Codec, iv: Iv, payloads: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut encoder = codec.encoder(Direction::ToClient, iv);
    let frame = |payload: &Vec<u8>| {
        let mut frame = blank(&encoder, payload);
        encoder.encode(&mut frame).unwrap();
        frame
    };
    payloads.iter().map(frame).collect()
}

fn blank(encoder: &Encoder, payload: &[u8]) -> Vec<u8> {
    [&vec![0; encoder.header_len(payload.len())], payload].concat()
}

fn payloads() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let len = prop_oneof![6 => 0..80_usize, 2 => 1400..3000_usize, 1 => 0..20_000_usize];
    vec(len.prop_map(plain), 1..12)
}

fn ivs() -> impl Strategy<Value = Iv> {
    any::<[u8; 4]>().prop_map(Iv::new)
}

fn lookaheads() -> impl Strategy<Value = Lookahead> {
    (0..20_usize, 0..1600_usize).prop_map(|(packets, bytes)| Lookahead { packets, bytes })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_keystream_restarts_for_each_chunk(len in 0..9000_usize, iv in ivs()) {
        let schedule = KeySchedule::new(Key::DEFAULT);
        let mut state = StartBlock::Standard.bytes(iv);
        let mut blocks = [[0; BLOCK]; MAX_BLOCKS];
        for block in &mut blocks {
            schedule.chain(state, std::slice::from_mut(block));
            state = *block;
        }
        for first in [FIRST_CHUNK, FIRST_CHUNK_EXTENDED] {
            let mut expected = plain(len);
            for (at, byte) in expected.iter_mut().enumerate() {
                let place = if at < first { at } else { (at - first) % NEXT_CHUNK };
                *byte ^= blocks.as_flattened()[place];
            }
            let mut data = plain(len);
            schedule.crypt(StartBlock::Standard, iv, first, &mut data);
            prop_assert_eq!(&data, &expected);
            let mut keystream = Keystream::new();
            let bytes = blocks_needed(len, first) * BLOCK;
            schedule.fill(StartBlock::Standard, iv, bytes, &mut keystream);
            let mut data = plain(len);
            keystream.xor(first, &mut data);
            prop_assert_eq!(&data, &expected);
        }
    }

    #[test]
    fn looking_ahead_changes_no_byte(
        payloads in payloads(), iv in ivs(), ahead in lookaheads(), idle in vec(any::<bool>(), 12),
    ) {
        let codec = Codec::new(Profile::GMS_83);
        let expected = plainly(&codec, iv, &payloads);
        let mut encoder = codec.encoder(Direction::ToClient, iv).looking_ahead(ahead);
        let mut decoder = codec.decoder(Direction::ToClient, iv).looking_ahead(ahead);
        decoder = decoder.accepting(0..=65_535);
        for ((payload, expected), idle) in payloads.iter().zip(&expected).zip(idle) {
            if idle {
                encoder.prefetch();
                prop_assert_eq!(encoder.prefetched(), ahead.packets);
            }
            let mut frame = blank(&encoder, payload);
            encoder.encode(&mut frame).unwrap();
            prop_assert_eq!(&frame, expected);
            let decoded = decoder.decode(&mut frame).unwrap();
            let Decoded::Packet { payload: got, .. } = decoded else {
                panic!("incomplete");
            };
            prop_assert_eq!(&*got, &payload[..]);
        }
    }

    #[test]
    fn a_cache_changes_no_byte(
        payloads in payloads(), entries in 1..20_usize, bytes in 0..1600_usize, short: bool,
    ) {
        let codec = Codec::new(Profile::GMS_83);
        let policy = if short { IvPolicy::ShortCycle } else { IvPolicy::Fixed };
        let (_, iv) = policy.choose([9; 8]);
        let expected = plainly(&codec, iv, &payloads);
        let schedule = codec.schedule().clone();
        let mut cache = KeystreamCache::new(schedule, StartBlock::Standard, entries, bytes);
        for _ in 0..2 {
            let mut encoder = codec.encoder(Direction::ToClient, iv);
            let mut decoder = codec.decoder(Direction::ToClient, iv).accepting(0..=65_535);
            for (payload, expected) in payloads.iter().zip(&expected) {
                let mut frame = blank(&encoder, payload);
                encoder.encode_cached(&mut frame, &mut cache).unwrap();
                prop_assert_eq!(&frame, expected);
                let decoded = decoder.decode_cached(&mut frame, &mut cache).unwrap();
                let Decoded::Packet { payload: got, .. } = decoded else {
                    panic!("incomplete");
                };
                prop_assert_eq!(&*got, &payload[..]);
            }
        }
    }

    #[test]
    fn lanes_change_no_byte(
        payloads in payloads(), sessions in 1..150_usize, ahead in lookaheads(), fill: bool,
    ) {
        let codecs = [
            Codec::new(Profile::GMS_83),
            Codec::new(Profile { key: CYCLE[3], ..Profile::GMS_83 }),
            Codec::new(Profile::GMS_28),
            Codec::new(Profile { shanda: false, header: HeaderForm::Extended, ..Profile::GMS_83 }),
        ];
        // Mostly the first key, so that runs are long.
        let codec = |session: usize| &codecs[(session / 70 + session / 9 % 2) % codecs.len()];
        let iv = |session: usize| Iv::new([session as u8, 2, 3, 4]);
        let encoders = || -> Vec<_> {
            (0..sessions)
                .map(|it| codec(it).encoder(Direction::ToClient, iv(it)).looking_ahead(ahead))
                .collect()
        };
        let mut lanes = Lanes::new(20_000);

        // One payload to all, one packet after the other.
        let mut casting = encoders();
        for (round, payload) in payloads.iter().take(3).enumerate() {
            if fill {
                lanes.prefetch(&mut casting);
            }
            let mut frames: Vec<_> =
                casting.iter().map(|encoder| blank(encoder, payload)).collect();
            let mut recipients: Vec<_> =
                casting.iter_mut().zip(frames.iter_mut().map(|it| &mut it[..])).collect();
            prop_assert_eq!(lanes.seal_many(payload, &mut recipients), Ok(sessions));
            for (session, frame) in frames.iter().enumerate() {
                let all = plainly(codec(session), iv(session), &payloads[..=round]);
                prop_assert_eq!(frame, &all[round]);
            }
        }

        // Another payload to each.
        let mut each = encoders();
        let payload = |session: usize| &payloads[session % payloads.len()];
        let mut frames: Vec<_> =
            each.iter().enumerate().map(|(it, encoder)| blank(encoder, payload(it))).collect();
        let jobs = each.iter_mut().zip(frames.iter_mut().map(|it| &mut it[..]));
        prop_assert_eq!(lanes.encode_each(jobs), Ok(()));
        for (session, frame) in frames.iter().enumerate() {
            let expected = plainly(codec(session), iv(session), &[payload(session).clone()]);
            prop_assert_eq!(frame, &expected[0]);
        }
    }

    #[test]
    fn keystreams_in_lanes_are_keystreams(count in 0..150_usize, bytes in 0..1500_usize) {
        let schedule = KeySchedule::new(Key::DEFAULT);
        let ivs: Vec<_> = (0..count).map(|at| Iv::new([1, 2, 3, at as u8])).collect();
        let mut out = vec![Keystream::new(); count];
        Lanes::new(0).keystreams(&schedule, StartBlock::Standard, &ivs, bytes, &mut out);
        for (got, iv) in out.iter().zip(ivs) {
            let mut expected = Keystream::new();
            schedule.fill(StartBlock::Standard, iv, bytes, &mut expected);
            prop_assert_eq!(got.bytes(), expected.bytes());
        }
    }

    #[test]
    fn a_relayed_packet_is_the_other_sides(
        payloads in payloads(),
        iv_a in ivs(),
        iv_b in ivs(),
        ahead in lookaheads(),
        which in 0..4_usize,
    ) {
        let from = Codec::new(Profile::GMS_83);
        let to = Codec::new([
            Profile::GMS_83,
            Profile { key: CYCLE[1], ..Profile::GMS_95 },
            Profile::GMS_28,
            Profile { shanda: false, ..Profile::GMS_83 },
        ][which]);
        let received = plainly(&from, iv_a, &payloads);
        let expected = plainly(&to, iv_b, &payloads);
        let mut decoder = from.decoder(Direction::ToClient, iv_a).accepting(0..=65_535);
        let mut encoder = to.encoder(Direction::ToClient, iv_b).looking_ahead(ahead);
        for (mut frame, expected) in received.into_iter().zip(expected) {
            let frame_len = frame.len();
            prop_assert_eq!(
                decoder.relay(&mut encoder, &mut frame[..3]),
                Ok(Relayed::Incomplete { missing: 1 })
            );
            prop_assert_eq!(
                decoder.relay(&mut encoder, &mut frame),
                Ok(Relayed::Frame { frame_len })
            );
            prop_assert_eq!(frame, expected);
        }
    }

    #[test]
    fn packets_relayed_together_are_those_relayed_alone(
        payloads in vec(payloads(), 1..5).prop_map(|it| it.concat()),
        iv_a in ivs(),
        iv_b in ivs(),
        which in 0..3_usize,
        runs in vec(any::<bool>(), 50),
    ) {
        let from = Codec::new(Profile::GMS_83);
        let to = Codec::new([
            Profile::GMS_83,
            Profile { key: CYCLE[1], ..Profile::GMS_95 },
            Profile::GMS_28,
        ][which]);
        let mut stream = plainly(&from, iv_a, &payloads).concat();
        let expected = plainly(&to, iv_b, &payloads).concat();
        let mut decoder = from.decoder(Direction::ToClient, iv_a).accepting(0..=65_535);
        let mut encoder = to.encoder(Direction::ToClient, iv_b);
        let mut exchange = Exchange::new();
        let mut rest = &mut stream[..];
        for (payload, run) in payloads.iter().zip(runs) {
            let (frame, others) = rest.split_at_mut(4 + payload.len());
            rest = others;
            decoder.relay_in(&mut exchange, &mut encoder, frame).unwrap();
            if run {
                exchange.run();
            }
        }
        drop(exchange);
        prop_assert_eq!(stream, expected);
    }

    #[test]
    fn any_bytes_may_arrive(data in vec(any::<u8>(), 0..300)) {
        fuzz::decoder(&data);
        fuzz::round_trip(&data);
        fuzz::hello(&data);
    }

    #[test]
    fn short_frames_may_arrive(
        mut data in vec(prop_oneof![0..4_u8, any::<u8>()], 10..200),
        len in 0..40_u8,
    ) {
        // A header that announces what has some chance to be there.
        let version = 83_u16.to_le_bytes();
        data[0] = 0;
        data[8] = data[4] ^ version[0] ^ len;
        data[9] = data[5] ^ version[1];
        fuzz::decoder(&data);
    }

    #[test]
    fn greetings_may_arrive(
        form: u8,
        len in 11..40_u8,
        mut data in vec(prop_oneof![0..3_u8, 0x30..0x3A_u8], 44),
    ) {
        data[0] = form;
        data[1] = len;
        data[2] = 0;
        fuzz::hello(&data);
        data[3..7].copy_from_slice(&[0x23, 1, 5, 0]);
        fuzz::hello(&data);
    }
}

#[test]
fn errors_leave_both_sides_as_they_were() {
    let codec = Codec::new(Profile::GMS_83);
    let iv = Iv::new([1, 2, 3, 4]);
    let mut encoder = codec.encoder(Direction::ToServer, iv);
    let mut long = vec![7; 4 + 65_536];
    assert_eq!(encoder.encode(&mut long), Err(EncodeError::TooLong));
    assert_eq!(
        encoder.encode(&mut long[..3]),
        Err(EncodeError::NoHeaderRoom)
    );
    assert!(long.iter().all(|&byte| byte == 7));
    assert_eq!(encoder.iv(), iv);

    let mut frame = vec![7; 4 + 100];
    encoder.encode(&mut frame).unwrap();
    let sealed = frame.clone();
    let decoder = || codec.decoder(Direction::ToServer, iv);
    let refusals = [
        (decoder().accepting(0..=99), DecodeError::TooLong),
        (decoder().accepting(101..=200), DecodeError::TooShort),
        (
            codec.decoder(Direction::ToClient, iv),
            DecodeError::BadHeader,
        ),
        (
            codec.decoder(Direction::ToServer, iv.shuffled()),
            DecodeError::BadHeader,
        ),
    ];
    for (mut decoder, error) in refusals {
        let before = decoder.iv();
        assert_eq!(decoder.decode(&mut frame), Err(error));
        assert_eq!(decoder.peek_opcode(&frame), Err(error));
        assert_eq!((&frame, decoder.iv()), (&sealed, before));
    }
    for there in 0..frame.len() {
        let missing = if there < 4 { 4 - there } else { 104 - there };
        let decoded = decoder().decode(&mut frame[..there]).map(|it| match it {
            Decoded::Incomplete { missing } => missing,
            Decoded::Packet { .. } => 0,
        });
        assert_eq!(decoded, Ok(missing));
        assert_eq!(frame, sealed);
    }
}

#[test]
fn the_lengths_between_two_headers_belong_to_neither() {
    let profile = Profile {
        header: HeaderForm::Extended,
        ..Profile::GMS_83
    };
    let codec = Codec::new(profile);
    let mut encoder = codec.encoder(Direction::ToClient, Iv::FIXED);
    for len in EXTENDED_MARKER - 2..EXTENDED_MARKER + 10 {
        let mut frame = vec![0; len];
        let fits = !(4 + EXTENDED_MARKER..8 + EXTENDED_MARKER).contains(&len);
        assert_eq!(encoder.encode(&mut frame).is_ok(), fits, "{len}");
        if fits {
            let mut decoder = codec.decoder(Direction::ToClient, Iv::FIXED);
            assert_eq!(decoder.peek_opcode(&frame), Ok(Some(0)));
            let Ok(Decoded::Packet { payload, frame_len }) = decoder.decode(&mut frame) else {
                panic!("not decoded");
            };
            assert!(payload.iter().all(|&byte| byte == 0));
            assert_eq!(frame_len, len);
        }
    }
}

#[test]
fn who_has_no_room_is_passed_over() {
    let codec = Codec::new(Profile::GMS_83);
    let mut lanes = Lanes::new(16);
    let mut full = codec.encoder(Direction::ToClient, Iv::FIXED);
    let (_, iv) = IvPolicy::Classic.choose([3; 8]);
    let mut open = codec.encoder(Direction::ToClient, iv);
    let mut small = [0xEE; 9];
    let mut large = [0; 30];
    let mut recipients = [(&mut full, &mut small[..]), (&mut open, &mut large[..])];
    assert_eq!(lanes.seal_many(&[1; 6], &mut recipients), Ok(1));
    assert_eq!(
        lanes.seal_many(&[1; 17], &mut recipients),
        Err(EncodeError::TooLong)
    );
    assert_eq!(small, [0xEE; 9]);
    assert_eq!(open.iv(), iv.shuffled());
    assert_eq!(large[10..], [0; 20]);
}

#[test]
fn a_fixed_iv_needs_one_keystream() {
    let codec = Codec::new(Profile::GMS_83);
    let schedule = codec.schedule().clone();
    let mut cache = KeystreamCache::new(schedule, StartBlock::Standard, 1, 1460);
    let (_, iv) = IvPolicy::Fixed.choose([0; 8]);
    let mut encoder = codec.encoder(Direction::ToClient, iv);
    for len in [100, 1460, 3, 8192] {
        encoder
            .encode_cached(&mut vec![0; 4 + len], &mut cache)
            .unwrap();
    }
    assert_eq!(cache.hits_and_misses(), (3, 1));
}

#[test]
fn profiles_are_found() {
    for (region, version, expected) in [
        (Region::Gms, 28, Profile::GMS_28),
        (Region::Gms, 62, Profile::GMS_62),
        (Region::Gms, 83, Profile::GMS_83),
        (Region::Gms, 95, Profile::GMS_95),
    ] {
        assert_eq!(Profile::find(region, version), Some(expected));
    }
    assert_eq!(Profile::find(Region::Gms, 135), None);
    assert!(Profile::find(Region::Gms, 148).unwrap().shanda);
    let new = Profile::find(Region::Gms, 155).unwrap();
    assert_eq!((new.shanda, new.key), (false, CYCLE[15]));
    let kms = Profile::find(Region::Kms, 55).unwrap();
    assert_eq!((kms.opcode_len, kms.to_client), (1, Layer::Kms));
    let jms = Profile::find(Region::Jms, 141).unwrap();
    assert_eq!(jms.start_block, StartBlock::Duplicate);
}

use super::*;
use crate::maple::{Iv, Key, StartBlock, keystream::MAX_BLOCKS};
use aes::cipher::KeyInit;
use proptest::{collection::vec, prelude::*};

/// What every way of running lanes must come to.
fn expected(aes: &Aes256Enc, start: [u8; BLOCK], input: &[u8]) -> Vec<u8> {
    let mut block = Block::from(start);
    let mut out = input.to_vec();
    for bytes in out.chunks_mut(BLOCK) {
        aes.encrypt_block(&mut block);
        xor(bytes, &block);
    }
    out
}

fn start(number: usize) -> [u8; BLOCK] {
    let [a, b, ..] = number.to_le_bytes();
    StartBlock::Standard.bytes(Iv::new([a, b, 7, 200]))
}

/// Runs lanes of these lengths, each with another kind of input, by `run`.
fn hold<const CHAINS: usize>(
    aes: &Aes256Enc,
    lens: &[usize],
    run: impl Fn(&mut [Lane<'_, CHAINS>]),
) {
    let inputs: Vec<Vec<u8>> = lens
        .iter()
        .map(|&len| (0..len).map(|at| (at * 31 + len) as u8).collect())
        .collect();
    // Bytes behind each lane's end stay as they are.
    let mut outs: Vec<Vec<u8>> = inputs
        .iter()
        .map(|input| [input, &[0xEE; 70][..]].concat())
        .collect();
    let mut lanes: Vec<Lane<'_, CHAINS>> = Vec::new();
    for (number, (out, input)) in outs.iter_mut().zip(&inputs).enumerate() {
        let (out, _) = out.split_at_mut(input.len());
        let input = match number % 3 {
            0 => Input::InPlace,
            1 => {
                out.fill(0x55);
                Input::Bytes(input)
            }
            _ => Input::Nothing,
        };
        let starts = std::array::from_fn(|chain| start(number + chain * 1000));
        lanes.push(Lane { starts, input, out });
    }
    run(&mut lanes);
    for (number, (out, input)) in outs.iter().zip(&inputs).enumerate() {
        let zeros = vec![0; input.len()];
        let input = if number % 3 == 2 { &zeros } else { input };
        let (written, behind) = out.split_at(input.len());
        let expected = (0..CHAINS).fold(input.clone(), |bytes, chain| {
            expected(aes, start(number + chain * 1000), &bytes)
        });
        assert_eq!(written, expected, "lane {number}");
        assert!(behind.iter().all(|&byte| byte == 0xEE));
    }
}

fn hold_every_way(lens: &[usize]) {
    hold_with::<1>(lens);
    hold_with::<2>(lens);
}

fn hold_with<const CHAINS: usize>(lens: &[usize]) {
    let key = Key::DEFAULT;
    let aes = Aes256Enc::new(&key.expanded().into());
    hold::<CHAINS>(&aes, lens, |lanes| portable(&aes, lanes));
    let schedule = KeySchedule::new(key);
    hold::<CHAINS>(&aes, lens, |lanes| schedule.run(lanes));
    hold::<CHAINS>(&aes, lens, |lanes| {
        let mut group = Group::new();
        for lane in lanes {
            let lane = Lane {
                out: std::mem::take(&mut lane.out),
                ..*lane
            };
            group.push(&schedule, lane);
        }
        group.run();
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn lanes_of_any_lengths_are_their_chains(lens in vec(0..MAX_BLOCKS * BLOCK, 0..40)) {
        hold_every_way(&lens);
    }
}

#[test]
fn lanes_of_every_length_are_their_chains() {
    for len in 0..300 {
        hold_every_way(&[len, 0, len / 2, 64, len]);
    }
}

#[test]
fn other_bytes_end_a_lane() {
    let schedule = KeySchedule::new(Key::DEFAULT);
    let mut out = [0xEE; 100];
    let mut lanes = [Lane {
        starts: [start(1)],
        input: Input::Bytes(&[7; 70]),
        out: &mut out,
    }];
    schedule.run(&mut lanes);
    let aes = Aes256Enc::new(&Key::DEFAULT.expanded().into());
    assert_eq!(out[..70], expected(&aes, start(1), &[7; 70]));
    assert_eq!(out[70..], [0xEE; 30]);
}

#[cfg(target_arch = "x86_64")]
#[test]
fn keys_are_expanded_as_the_standard_says() {
    let Some(keys) = vaes::RoundKeys::new(Key::DEFAULT) else {
        return;
    };
    let constants = &crate::maple::tests::VECTORS["constants"];
    let expected = constants["default_round_keys"].as_array().unwrap();
    let keys: Vec<String> = keys
        .narrow()
        .iter()
        .map(|key| key.iter().map(|byte| format!("{byte:02x}")).collect())
        .collect();
    assert_eq!(keys.len(), expected.len());
    assert!(
        keys.iter()
            .eq(expected.iter().map(|key| key.as_str().unwrap()))
    );
}

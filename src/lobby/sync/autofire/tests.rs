use super::*;
use proptest::prelude::*;

/// The specification's scan of one block, in its own words.
fn scan(block: &[u8], max_run: u32, min_repeats: u32) -> bool {
    let (mut first, mut second): (Option<u8>, Option<u8>) = (None, None);
    let (mut a, mut b, mut last_a, mut last_b) = (0, 0, 0, 0);
    let (mut count_a, mut count_b) = (0, 0);
    let mut previous = None;
    for &action in block {
        if first.is_none() {
            first = Some(action);
            a = 1;
        } else if first == Some(action) {
            if previous == first {
                a += 1;
            } else {
                count_a = if a == last_a && a <= max_run {
                    count_a + 1
                } else {
                    0
                };
                last_a = a;
                a = 1;
            }
        } else if second.is_none() {
            second = Some(action);
            b = 1;
        } else if second == Some(action) {
            if previous == second {
                b += 1;
            } else {
                count_b = if b == last_b && b <= max_run {
                    count_b + 1
                } else {
                    0
                };
                last_b = b;
                b = 1;
            }
        } else {
            first = previous;
            second = Some(action);
            (a, b, last_a, last_b, count_a, count_b) = (1, 0, 0, 0, 0, 0);
        }
        previous = Some(action);
        if count_a >= min_repeats && count_b >= min_repeats {
            return true;
        }
    }
    false
}

fn detector(level: u8) -> Detector {
    let mut detector = Detector::default();
    detector.begin(Sensitivity::new(level).unwrap());
    detector.make_room(2);
    detector
}

/// Whether each whole block holds autofire.
fn found(level: u8, actions: &[u8]) -> Vec<bool> {
    let mut detector = detector(level);
    let block = Sensitivity(level).limits().unwrap().block() as usize;
    let whole = actions.chunks_exact(block);
    whole
        .map(|block| {
            let times = block
                .iter()
                .filter(|&&action| detector.observe(&[action, 7]).is_some());
            match times.count() {
                0 => false,
                1 => true,
                times => panic!("told {times} times in a block"),
            }
        })
        .collect()
}

/// `count` turns of two inputs held for so long.
fn alternation(a: usize, b: usize, turns: usize) -> Vec<u8> {
    let turn = [vec![1; a], vec![0; b]].concat();
    turn.repeat(turns)
}

fn actions() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => (1..8_usize, 1..8_usize, 1..30_usize)
            .prop_map(|(a, b, turns)| alternation(a, b, turns)),
        2 => prop::collection::vec(0..2_u8, 1..60),
        1 => prop::collection::vec(0..4_u8, 1..60),
    ];
    prop::collection::vec(piece, 1..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn finds_what_a_scan_of_each_block_finds(level in 1..=5_u8, actions in actions()) {
        let limits = Sensitivity(level).limits().unwrap();
        let blocks = actions.chunks_exact(limits.block() as usize);
        let scanned: Vec<bool> = blocks
            .map(|block| scan(block, limits.max_run, limits.min_repeats))
            .collect();
        prop_assert_eq!(found(level, &actions), scanned);
    }
}

/// The table of kaillera-server.md 8.7: the longest run of each level, the fewest turns, and
/// the inputs in a block.
#[test]
fn levels_have_the_numbers_of_the_specification() {
    let table = [(1, 2, 13), (2, 3, 11), (3, 4, 9), (4, 5, 7), (5, 6, 5)];
    for (level, max_run, min_repeats) in table {
        let block = ((max_run + 1) * min_repeats * 5) as usize;
        for (a, b) in [
            (1, 1),
            (max_run as usize, 1),
            (max_run as usize, max_run as usize),
        ] {
            let actions = alternation(a, b, 400);
            let first = &actions[..block];
            assert!(
                scan(first, max_run, min_repeats),
                "level {level}, {a} and {b}"
            );
            let mut detector = detector(level);
            let reports = first.iter().filter_map(|&it| detector.observe(&[it]));
            assert_eq!(reports.count(), 1, "level {level}: one report per block");
        }
        // A run more than is allowed, or a turn fewer than is needed.
        let long = alternation(max_run as usize + 1, 1, 400);
        assert!(!scan(&long[..block], max_run, min_repeats));
        let mut short = alternation(1, 1, min_repeats as usize / 2);
        short.resize(block, 0);
        assert_eq!(found(level, &short), [false], "level {level}");
    }
}

#[test]
fn machines_are_found_up_to_the_longest_run_of_the_level() {
    for (level, max_run) in [(1, 2), (2, 3), (3, 4), (4, 5), (5, 6)] {
        for a in 1..=7 {
            for b in 1..=7 {
                let found = found(level, &alternation(a, b, 400));
                let expected = a <= max_run && b <= max_run;
                assert!(
                    !found.is_empty() && found.iter().all(|it| *it == expected),
                    "level {level}, runs {a} and {b}: {found:?}"
                );
            }
        }
    }
}

#[test]
fn says_how_long_the_runs_are() {
    let mut detector = detector(5);
    let actions = alternation(2, 3, 40);
    let mut rhythms = actions
        .iter()
        .filter_map(|&action| detector.observe(&[action]));
    assert_eq!(rhythms.next(), Some(Rhythm(2, 3)));
}

/// A third input starts the search over, and an unsteady hand never ends it.
#[test]
fn hands_are_not_machines() {
    let third: Vec<u8> = (0..2000)
        .map(|n| if n % 9 == 8 { 2 } else { n as u8 % 2 })
        .collect();
    let unsteady: Vec<u8> = (0..400)
        .flat_map(|turn| alternation(2 + turn % 2, 2, 1))
        .collect();
    for level in 1..=5 {
        assert!(found(level, &third).iter().all(|found| !found));
        assert!(found(level, &unsteady).iter().all(|found| !found));
        assert!(found(level, &[3; 2000]).iter().all(|found| !found));
    }
}

#[test]
fn is_off_at_level_0_and_knows_no_level_6() {
    let mut detector = detector(0);
    assert!(detector.is_off());
    assert!(
        alternation(1, 1, 400)
            .iter()
            .all(|action| detector.observe(&[*action]).is_none())
    );
    assert_eq!(Sensitivity::new(6), None);
}

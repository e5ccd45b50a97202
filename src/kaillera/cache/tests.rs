use super::*;
use proptest::prelude::*;
use serde_json::Value;
use std::collections::VecDeque;

const VECTORS: &str = include_str!("../../../tests/data/kaillera_sync.json");

/// The list of 8.2, word for word.
#[derive(Default)]
struct Model(VecDeque<Vec<u8>>);

impl Model {
    fn push(&mut self, payload: &[u8], capacity: usize) {
        if self.0.len() == capacity {
            self.0.pop_front();
        }
        self.0.push_back(payload.to_vec());
    }

    fn find(&self, payload: &[u8]) -> Option<u8> {
        let index = self.0.iter().rposition(|entry| entry == payload)?;
        Some(u8::try_from(index).unwrap())
    }
}

fn contents<const N: usize>(cache: &InputCache<N>) -> Vec<Vec<u8>> {
    (0..cache.len())
        .map(|index| cache.get(index as u8).unwrap().to_vec())
        .collect()
}

fn bytes(value: &Value) -> Vec<u8> {
    value.to_string().into_bytes()
}

fn check_vector<const N: usize>(case: &Value) {
    let mut cache = InputCache::<N>::default();
    cache.reset(16);
    for payload in case["add"].as_array().unwrap() {
        cache.push(&bytes(payload));
    }
    let expected: Vec<_> = case["contents"]
        .as_array()
        .unwrap()
        .iter()
        .map(bytes)
        .collect();
    assert_eq!(contents(&cache), expected, "{case}");
    for (payload, index) in case["index_of"].as_object().into_iter().flatten() {
        let found = cache.find(payload.as_bytes()).map(u64::from);
        assert_eq!(found, index.as_u64(), "{case}");
    }
}

#[test]
fn agrees_with_the_vectors() {
    let vectors: Value = serde_json::from_str(VECTORS).unwrap();
    let mut seen = 0;
    for case in vectors["cache"].as_array().unwrap() {
        match case["capacity"].as_u64().unwrap() {
            3 => check_vector::<3>(case),
            5 => check_vector::<5>(case),
            256 => check_shift(case),
            other => panic!("capacity {other}"),
        }
        seen += 1;
    }
    assert_eq!(seen, 5);
}

fn check_shift(case: &Value) {
    let mut cache = InputCache::new();
    cache.reset(16);
    for number in 0..=256 {
        cache.push(number.to_string().as_bytes());
    }
    assert_eq!(cache.len(), 256);
    let number = |key: &str| case[key].to_string().into_bytes();
    assert_eq!(cache.get(0).unwrap(), number("contents_first"));
    assert_eq!(cache.get(255).unwrap(), number("contents_last"));
    for (payload, index) in case["index_of"].as_object().unwrap() {
        let found = cache.find(payload.as_bytes()).map(u64::from);
        assert_eq!(found, index.as_u64());
    }
    assert_eq!(cache.find(b"0"), None);
}

#[test]
fn holds_nothing_before_the_first_reset() {
    let mut cache = InputCache::new();
    assert!(cache.is_empty());
    assert_eq!(cache.get(0), None);
    assert_eq!(cache.find(b""), None);
    cache.push(b"");
    assert_eq!(cache.find_or_push(b""), None);
    assert!(cache.is_empty());
}

#[test]
fn distinguishes_lengths() {
    let mut cache = InputCache::new();
    cache.reset(4);
    cache.push(&[0]);
    cache.push(&[0, 0]);
    assert_eq!(cache.find(&[]), None);
    assert_eq!(cache.find(&[0, 0, 0]), None);
    assert_eq!(cache.find(&[0]), Some(0));
    assert_eq!(cache.find(&[0, 0]), Some(1));
}

#[test]
fn reset_forgets_and_keeps_the_memory() {
    let mut cache = InputCache::new();
    cache.reset(24);
    let memory = |cache: &InputCache| {
        (
            cache.bytes.as_ptr(),
            cache.entries.as_ptr(),
            cache.buckets.as_ptr(),
        )
    };
    let before = memory(&cache);
    for max_len in [2, 0, 24] {
        for number in 0..300_u16 {
            cache.push(&number.to_le_bytes()[..cache.max_len.min(2)]);
        }
        cache.reset(max_len);
        assert!(cache.is_empty());
        assert_eq!(cache.get(0), None);
        assert_eq!(cache.find(&7_u16.to_le_bytes()), None);
        assert_eq!(memory(&cache), before);
    }
}

/// Payloads of two words whose second cancels the state after the first, so that all have
/// the same hash.
fn colliding(number: u64) -> Vec<u8> {
    let state = mix(seed(16) ^ number);
    [number.to_le_bytes(), state.to_le_bytes()].concat()
}

#[test]
fn collisions_cost_a_bounded_search_and_never_a_wrong_answer() {
    let mut cache = InputCache::new();
    cache.reset(16);
    for number in 0..256 {
        assert_eq!(hash(&colliding(number)), 0);
        cache.push(&colliding(number));
    }
    for number in 0..256 {
        let expected = (number + COLLISIONS_MAX as u64 >= 256).then_some(number as u8);
        assert_eq!(cache.find(&colliding(number)), expected);
    }
    assert_eq!(cache.find(&colliding(256)), None);
    assert_eq!(cache.find_or_push(&colliding(0)), None);
    assert_eq!(cache.find(&colliding(0)), Some(255));
}

#[test]
fn short_payloads_spread_over_the_buckets() {
    let payloads = (0..=255_u8)
        .map(|byte| vec![byte])
        .chain((0..=255).map(|byte| vec![byte, 0]))
        .chain((0..=255).map(|byte| vec![0, byte]))
        .chain((0..=255).map(|byte| [vec![0; 23], vec![byte]].concat()))
        .chain((0..=255).map(|byte| [vec![byte], vec![0; 47]].concat()))
        .collect::<Vec<_>>();
    for group in payloads.chunks(256) {
        let mut sizes = [0_usize; BUCKETS];
        for payload in group {
            sizes[bucket(hash(payload))] += 1;
        }
        let deepest = sizes.iter().max().unwrap();
        assert!(*deepest <= 10, "{deepest} of 256 share a bucket");
    }
}

#[derive(Clone, Debug)]
enum Step {
    Push(Vec<u8>),
    Send(Vec<u8>),
    Reset,
}

fn payload() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        prop::collection::vec(0..3_u8, 0..4),
        prop::collection::vec(any::<u8>(), 0..32),
        any::<u16>().prop_map(|number| (number % 400).to_le_bytes().to_vec()),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        200 => payload().prop_map(Step::Push),
        200 => payload().prop_map(Step::Send),
        1 => Just(Step::Reset),
    ]
}

fn check_model<const N: usize>(steps: &[Step]) {
    let mut cache = InputCache::<N>::default();
    let mut model = Model::default();
    cache.reset(32);
    for step in steps {
        match step {
            Step::Push(payload) => {
                cache.push(payload);
                model.push(payload, N);
            }
            Step::Send(payload) => {
                let expected = model.find(payload);
                assert_eq!(cache.find(payload), expected);
                assert_eq!(cache.find_or_push(payload), expected);
                if expected.is_none() {
                    model.push(payload, N);
                }
            }
            Step::Reset => {
                cache.reset(32);
                model.0.clear();
            }
        }
        assert_eq!(cache.len(), model.0.len());
        assert_eq!(cache.is_empty(), model.0.is_empty());
    }
    assert_eq!(contents(&cache), Vec::from(model.0));
    assert_eq!(cache.get(u8::MAX).is_some(), cache.len() == 256);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn equals_the_model(steps in prop::collection::vec(step(), 0..900)) {
        check_model::<256>(&steps);
        check_model::<3>(&steps);
    }
}

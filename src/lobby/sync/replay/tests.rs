use super::*;
use proptest::prelude::*;

const LEN: usize = 19;

#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Cached(u8),
    Data(Vec<u8>),
}

fn record(replay: &mut Replay, step: &Step) {
    replay.record(match step {
        Step::Cached(place) => Output::Cached(*place),
        Step::Data(frames) => Output::Data(frames),
    });
}

fn read(reading: &mut Reading, replay: &Replay) -> Result<Option<Step>, Gone> {
    let output = reading.next(replay, LEN)?;
    Ok(output.map(|output| match output {
        Output::Cached(place) => Step::Cached(place),
        Output::Data(frames) => Step::Data(frames.to_vec()),
    }))
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => any::<u8>().prop_map(Step::Cached),
        3 => (0..LEN, any::<u8>()).prop_map(|(place, value)| {
            let mut frames = vec![7; LEN];
            frames[place] = value;
            Step::Data(frames)
        }),
        1 => prop::collection::vec(any::<u8>(), LEN).prop_map(Step::Data),
    ]
}

proptest! {
    /// Readers that are quick enough see every step, the others that they are not.
    #[test]
    fn readers_see_every_step_or_none(
        capacity in 30..400_usize,
        steps in prop::collection::vec((step(), 0..4_usize, 0..4_usize), 0..200),
    ) {
        let mut replay = Replay::default();
        replay.begin(capacity);
        replay.make_room(LEN);
        let mut model = Vec::new();
        let mut readers: Vec<(Reading, usize, bool)> = vec![Default::default(), Default::default()];
        for (step, reader, count) in steps {
            record(&mut replay, &step);
            model.push(step);
            if let Some((reading, seen, lost)) = readers.get_mut(reader) {
                for _ in 0..count {
                    match read(reading, &replay) {
                        Ok(next) => {
                            prop_assert!(!*lost);
                            prop_assert_eq!(next.as_ref(), model.get(*seen));
                            *seen += usize::from(next.is_some());
                            prop_assert_eq!(reading.is_behind(&replay), *seen < model.len());
                        }
                        Err(Gone) => *lost = true,
                    }
                }
            }
        }
        if replay.is_whole() {
            let mut reading = Reading::default();
            let mut seen = Vec::new();
            while let Ok(Some(step)) = read(&mut reading, &replay) {
                seen.push(step);
            }
            prop_assert_eq!(seen, model);
        }
    }
}

#[test]
fn held_inputs_take_two_bytes_a_step() {
    let mut replay = Replay::default();
    replay.begin(1000);
    for _ in 0..500 {
        replay.record(Output::Cached(9));
    }
    assert!(replay.is_whole());
    replay.record(Output::Cached(9));
    assert!(!replay.is_whole());
}

#[test]
fn without_memory_it_is_never_whole() {
    let mut replay = Replay::default();
    assert!(!replay.is_whole());
    replay.record(Output::Data(&[1; LEN]));
    replay.record(Output::Cached(1));
    assert!(!replay.is_whole());
    assert_eq!(read(&mut Reading::default(), &replay), Ok(None));
}

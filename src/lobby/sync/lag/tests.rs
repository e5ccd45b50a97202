use super::*;
use proptest::prelude::*;

const STEP: u64 = 16_666_666;

fn lag(players: usize) -> Lag {
    let mut lag = Lag::new(Duration::from_secs(60));
    lag.begin(1, FrameRate::USUAL, players);
    lag
}

fn at(micros: u64) -> Time {
    Time::from_nanos(micros * 1000)
}

/// A step at `now` whose players' inputs came then.
fn step(lag: &mut Lag, now: u64, ready: &[u64]) {
    lag.step(at(now));
    for (player, ready) in ready.iter().enumerate() {
        lag.charge(player, at(*ready));
    }
    lag.finish(at(now));
}

fn millis(duration: Duration) -> u128 {
    (duration.as_micros() + 500) / 1000
}

/// The specification's example.
#[test]
fn only_who_was_late_is_charged() {
    let mut lag = lag(2);
    step(&mut lag, 0, &[0, 0]);
    step(&mut lag, 16_667, &[16_667, 16_667]);
    step(&mut lag, 50_000, &[20_000, 49_000]);
    step(&mut lag, 66_667, &[60_000, 66_667]);
    let report = lag.report().unwrap();
    assert_eq!(millis(report.game), 17);
    assert_eq!(
        report
            .players
            .iter()
            .map(|it| millis(*it))
            .collect::<Vec<_>>(),
        [0, 16]
    );
}

#[test]
fn a_step_in_time_earns_one_step_at_most() {
    let mut lag = lag(1);
    step(&mut lag, 0, &[0]);
    for n in 1..=100 {
        step(&mut lag, n, &[n]);
    }
    step(&mut lag, 40_000, &[40_000]);
    let late = lag.report().unwrap().players[0];
    assert_eq!(millis(late), 7, "40 ms less one step saved and one due");
}

#[test]
fn the_window_forgets() {
    let mut lag = lag(2);
    step(&mut lag, 0, &[0, 0]);
    let mut now = 500_000;
    step(&mut lag, now, &[0, now]);
    for second in 1..=120_u64 {
        for _ in 0..60 {
            now += STEP / 1000;
            step(&mut lag, now, &[now, now]);
        }
        let report = lag.report().unwrap();
        let expected = if second < 58 { 483 } else { 0 };
        if !(58..=66).contains(&second) {
            assert_eq!(millis(report.players[1]), expected, "after {second} s");
            assert_eq!(millis(report.game), expected);
            assert_eq!(millis(report.players[0]), 0);
        }
        assert!(report.window <= Duration::from_secs(66));
        assert!(second < 60 || report.window >= Duration::from_secs(59));
    }
}

/// The figures of the reference jumped to those since the start.
#[test]
fn nothing_from_before_a_reset_is_charged_after_it() {
    let mut lag = lag(1);
    step(&mut lag, 0, &[0]);
    step(&mut lag, 900_000, &[900_000]);
    lag.restart();
    assert_eq!(lag.report(), None);
    let mut now = 5_000_000;
    for _ in 0..1000 {
        step(&mut lag, now, &[now]);
        let report = lag.report().unwrap();
        assert_eq!((millis(report.game), millis(report.players[0])), (0, 0));
        now += STEP / 1000;
    }
}

#[test]
fn another_rate_is_another_step() {
    let mut lag = Lag::new(Duration::from_secs(60));
    for (frames, rate, step_micros) in [
        (1, 60_000, 16_667),
        (3, 50_000, 60_000),
        (6, 100, 60_000_000),
    ] {
        lag.begin(frames, FrameRate::from_thousandths(rate).unwrap(), 1);
        step(&mut lag, 0, &[0]);
        step(&mut lag, step_micros, &[step_micros]);
        assert_eq!(millis(lag.report().unwrap().game), 0);
        step(&mut lag, 3 * step_micros, &[3 * step_micros]);
        let lost = lag.report().unwrap().game.as_micros();
        assert!(lost.abs_diff(u128::from(step_micros)) <= 1, "{lost}");
    }
    assert_eq!(FrameRate::from_thousandths(99), None);
    assert_eq!(FrameRate::from_thousandths(100_001), None);
}

proptest! {
    /// The specification's sums, with the whole past kept.
    #[test]
    fn equals_the_sums_of_the_specification(
        waits in prop::collection::vec((0..400_000_u64, 0..=100_u64, 0..=100_u64), 1..200)
    ) {
        let mut lag = lag(2);
        let (mut now, mut leeway, mut drift) = (0_u64, [0_i64; 3], [0_i64; 3]);
        let mut samples = vec![(0, [0_i64; 3])];
        step(&mut lag, 0, &[0, 0]);
        for (wait, first, second) in waits {
            let own = [wait, wait * first / 100, wait * second / 100];
            let last = now;
            now += wait;
            for (account, own) in own.into_iter().enumerate() {
                leeway[account] += STEP as i64 - own as i64 * 1000;
                if leeway[account] < 0 {
                    drift[account] += leeway[account];
                    leeway[account] = 0;
                }
                leeway[account] = leeway[account].min(STEP as i64);
            }
            step(&mut lag, now, &[last + own[1], last + own[2]]);
            if now - samples.last().unwrap().0 >= 5_000_000 {
                samples.push((now, drift));
            }
            let (since, oldest) = samples[samples.len().saturating_sub(13)];
            let report = lag.report().unwrap();
            let lost = |account: usize| (oldest[account] - drift[account]) as u128;
            prop_assert_eq!(report.window.as_micros(), u128::from(now - since));
            prop_assert_eq!(report.game.as_nanos(), lost(0));
            prop_assert_eq!(report.players[0].as_nanos(), lost(1));
            prop_assert_eq!(report.players[1].as_nanos(), lost(2));
        }
    }
}

#[test]
fn another_window_counts_from_the_next_game_on() {
    let mut lag = lag(1);
    for window in [10, 300, 60] {
        lag.set_window(Duration::from_secs(window));
        lag.begin(1, FrameRate::USUAL, 1);
        for second in 0..400 {
            step(&mut lag, second * 1_000_000, &[second * 1_000_000]);
        }
        let told = lag.report().unwrap().window;
        assert!(told.as_secs().abs_diff(window) <= 5, "{window}: {told:?}");
    }
}

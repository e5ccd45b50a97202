//! Players who fall silent, by virtual time.

use super::*;

/// A game that hears only from some of its players.
struct Clock {
    sync: FrameSync,
    now: Time,
    players: usize,
    events: Vec<(u64, SyncEvent)>,
    outputs: usize,
}

impl Clock {
    fn play(players: usize) -> Self {
        let mut sync = sync();
        sync.begin(ConnectionType::Lan, &vec![1; players]);
        sync.play(Time::ZERO);
        let now = Time::ZERO;
        Self {
            sync,
            now,
            players,
            events: Vec::new(),
            outputs: 0,
        }
    }

    fn note(&mut self, sink: Recorder) {
        let millis = self.now.as_nanos() / 1_000_000;
        for said in sink.0 {
            match said {
                Said::Output(..) => self.outputs += 1,
                Said::Event(event) => self.events.push((millis, event)),
            }
        }
    }

    fn send(&mut self, player: usize) {
        let mut sink = Recorder::default();
        self.sync
            .input(self.now, player, Input::Data(&[1]), &mut sink);
        self.note(sink);
    }

    fn round(&mut self) {
        for player in 0..self.players {
            self.send(player);
        }
    }

    fn run_to(&mut self, millis: u64) {
        let end = Time::from_millis(millis);
        while let Some(due) = self.sync.poll_timeout().filter(|due| *due <= end) {
            self.now = self.now.max(due);
            let mut sink = Recorder::default();
            self.sync.handle_timeout(self.now, &mut sink);
            self.note(sink);
            assert!(self.sync.poll_timeout().is_none_or(|next| next > self.now));
        }
        self.now = end;
    }

    /// Plays 20 rounds, 10 ms apart, the last at 200 ms.
    fn started(players: usize) -> Self {
        let mut clock = Self::play(players);
        for step in 1..=20 {
            clock.run_to(step * 10);
            clock.round();
        }
        assert_eq!(clock.events, []);
        clock
    }
}

fn silent(player: usize) -> SyncEvent {
    SyncEvent::Silent { player }
}

fn stalled(player: usize) -> SyncEvent {
    let cause = Desync::Stall(Duration::from_secs(12));
    SyncEvent::Desynchronised { player, cause }
}

#[test]
fn a_silent_player_is_nudged_and_then_desynchronised() {
    let mut clock = Clock::started(2);
    clock.run_to(210);
    clock.send(0);
    clock.run_to(12_209);
    let nudges: Vec<_> = (0..39).map(|it| (510 + it * 300, silent(1))).collect();
    assert_eq!(clock.events, nudges);
    let before = clock.outputs;
    clock.run_to(12_210);
    assert_eq!(clock.events.pop(), Some((12_210, stalled(1))));
    assert_eq!(clock.outputs, before + 1);
    assert!(!clock.sync.is_active(1));
    clock.send(1);
    assert_eq!(clock.outputs, before + 1);
    clock.send(0);
    assert_eq!(clock.outputs, before + 2);
}

#[test]
fn a_player_in_time_is_left_alone() {
    let mut clock = Clock::started(3);
    for step in 0..200 {
        clock.run_to(300 + step * 250);
        clock.round();
    }
    assert_eq!(clock.events, []);
}

#[test]
fn news_start_the_silence_over() {
    let mut clock = Clock::started(2);
    clock.send(0);
    clock.send(0);
    clock.send(0);
    clock.run_to(11_050);
    assert!(clock.events.iter().all(|(_, event)| *event == silent(1)));
    clock.events.clear();
    clock.send(1);
    clock.run_to(11_349);
    assert_eq!(clock.events, []);
    clock.run_to(23_049);
    assert_eq!(clock.events.last(), Some(&(22_750, silent(1))));
    clock.run_to(23_050);
    assert_eq!(clock.events.last(), Some(&(23_050, stalled(1))));
}

#[test]
fn silence_does_not_count_while_inputs_are_queued() {
    let mut clock = Clock::started(2);
    for _ in 0..40 {
        clock.send(1);
    }
    for step in 1..=40 {
        clock.run_to(200 + step * 100);
        clock.send(0);
    }
    clock.run_to(4_499);
    assert_eq!(clock.events, []);
    clock.run_to(4_500);
    assert_eq!(clock.events, [(4_500, silent(0)), (4_500, silent(1))]);
}

#[test]
fn all_who_hold_up_the_game_are_named() {
    let mut clock = Clock::started(4);
    clock.send(2);
    clock.run_to(400);
    clock.send(3);
    clock.run_to(13_000);
    let stalls: Vec<_> = clock
        .events
        .iter()
        .filter(|(_, event)| !matches!(event, SyncEvent::Silent { .. }))
        .collect();
    assert_eq!(stalls, [&(12_200, stalled(0)), &(12_200, stalled(1))]);
    assert!(clock.sync.is_active(2) && clock.sync.is_active(3));
}

#[test]
fn a_pause_of_all_harms_nobody() {
    for players in [1, 3] {
        let mut clock = Clock::started(players);
        clock.run_to(100_000);
        assert!(
            clock
                .events
                .iter()
                .all(|(_, event)| matches!(event, SyncEvent::Silent { .. }))
        );
        clock.events.clear();
        let before = clock.outputs;
        clock.send(0);
        clock.run_to(100_299);
        assert_eq!(clock.events, []);
        for player in 1..players {
            clock.send(player);
        }
        assert_eq!(clock.outputs, before + players);
    }
}

#[test]
fn who_never_sends_is_waited_for_since_the_others_are_ready() {
    let mut clock = Clock::play(2);
    clock.run_to(1_000);
    let nudges: Vec<_> = [300, 600, 900]
        .into_iter()
        .flat_map(|at| [(at, silent(0)), (at, silent(1))])
        .collect();
    assert_eq!(clock.events, nudges);
    for _ in 0..7 {
        clock.send(0);
    }
    assert_eq!(clock.outputs, 6);
    clock.run_to(13_000);
    assert_eq!(clock.events.last(), Some(&(13_000, stalled(1))));
    assert_eq!(clock.outputs, 7);
}

#[test]
fn the_patience_is_at_least_the_time_between_repeats() {
    let mut sync = FrameSync::new(Duration::ZERO, Duration::ZERO);
    sync.begin(ConnectionType::Lan, &[1, 1]);
    sync.play(Time::ZERO);
    let mut sink = Recorder::default();
    for _ in 0..7 {
        sync.input(Time::ZERO, 0, Input::Data(&[1]), &mut sink);
    }
    sink.0.clear();
    sync.handle_timeout(Time::from_millis(299), &mut sink);
    assert_eq!(sink.0, []);
    assert_eq!(sync.poll_timeout(), Some(Time::from_millis(300)));
    sync.handle_timeout(Time::from_millis(300), &mut sink);
    let cause = Desync::Stall(REPEAT_AFTER);
    let stalled = SyncEvent::Desynchronised { player: 1, cause };
    assert_eq!(sink.0[0], Said::Event(stalled));
}

#[test]
fn a_late_timer_makes_up_for_nothing() {
    let mut clock = Clock::started(2);
    clock.send(0);
    clock.now = Time::from_millis(5_000);
    let mut sink = Recorder::default();
    clock.sync.handle_timeout(clock.now, &mut sink);
    assert_eq!(sink.0, [Said::Event(silent(1))]);
    assert_eq!(clock.sync.poll_timeout(), Some(Time::from_millis(5_300)));
}

use super::*;
use crate::{
    metrics::Reason,
    net::{Progress, Sniff},
    timer::Time,
};
use proptest::prelude::*;
use std::{
    io,
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};

const SECOND: Duration = Duration::from_secs(1);
const MS: Duration = Duration::from_millis(1);

/// What a service was told.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Told {
    Opened(Origin),
    Received(Vec<u8>),
    Ended,
    Writable,
    Expired,
    Closed(Ending),
    Stopping,
}

/// What it does when it is told something.
type Act = Box<dyn FnMut(ConnectionId, &Told, &mut Connections) + Send>;

/// Writes down what it is told; its protocol is lines that begin with a word.
struct Probe {
    word: &'static [u8],
    first: bool,
    told: Arc<Mutex<Vec<(ConnectionId, Told)>>>,
    act: Act,
}

#[derive(Clone, Default)]
struct Notes(Arc<Mutex<Vec<(ConnectionId, Told)>>>);

impl Notes {
    fn take(&self) -> Vec<Told> {
        let told = std::mem::take(&mut *self.0.lock().unwrap());
        told.into_iter().map(|(_, told)| told).collect()
    }

    fn ids(&self) -> Vec<ConnectionId> {
        self.0.lock().unwrap().iter().map(|it| it.0).collect()
    }
}

impl Probe {
    fn new(
        word: &'static [u8],
        act: impl FnMut(ConnectionId, &Told, &mut Connections) + Send + 'static,
    ) -> (Self, Notes) {
        let notes = Notes::default();
        let probe = Self {
            word,
            first: false,
            told: notes.0.clone(),
            act: Box::new(act),
        };
        (probe, notes)
    }

    fn note(&mut self, id: ConnectionId, told: Told, net: &mut Connections) {
        (self.act)(id, &told, net);
        self.told.lock().unwrap().push((id, told));
    }
}

impl std::fmt::Debug for Probe {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Probe")
    }
}

impl TcpService for Probe {
    fn name(&self) -> &'static str {
        "probe"
    }

    fn sniff(&self, first: &[u8]) -> Sniff {
        Sniff::prefix(first, &[self.word])
    }

    fn speaks_first(&self) -> bool {
        self.first
    }

    fn opened(&mut self, _: Time, id: ConnectionId, origin: Origin, net: &mut Connections) {
        self.note(id, Told::Opened(origin), net);
    }

    /// Whole lines only.
    fn received(
        &mut self,
        _: Time,
        id: ConnectionId,
        bytes: &mut [u8],
        net: &mut Connections,
    ) -> usize {
        let mut consumed = 0;
        while let Some(end) = bytes[consumed..].iter().position(|byte| *byte == b'\n') {
            let line = bytes[consumed..=consumed + end].to_vec();
            consumed += end + 1;
            self.note(id, Told::Received(line), net);
        }
        consumed
    }

    fn ended(&mut self, _: Time, id: ConnectionId, net: &mut Connections) {
        self.note(id, Told::Ended, net);
    }

    fn writable(&mut self, _: Time, id: ConnectionId, net: &mut Connections) {
        self.note(id, Told::Writable, net);
    }

    fn expired(&mut self, _: Time, id: ConnectionId, net: &mut Connections) {
        self.note(id, Told::Expired, net);
    }

    fn closed(&mut self, _: Time, id: ConnectionId, ending: Ending, net: &mut Connections) {
        self.note(id, Told::Closed(ending), net);
    }

    fn turn(&mut self, _: Time, _: &mut Connections) -> Progress {
        Progress::default()
    }

    fn stopping(&mut self, _: Time, net: &mut Connections) {
        let nobody = ConnectionId {
            index: u32::MAX,
            generation: 0,
        };
        self.note(nobody, Told::Stopping, net);
    }
}

fn settings() -> TcpSettings {
    TcpSettings {
        connections: 4,
        connections_per_address: 3,
        outgoing: 2,
        block: 64,
        low_mark: 40,
        high_mark: 100,
        hard_cap: 300,
        extra_blocks: 8,
        ..TcpSettings::default()
    }
}

const ACCEPTED: Told = Told::Opened(Origin::Accepted { listener: 0 });

fn line(text: &[u8]) -> Told {
    Told::Received(text.to_vec())
}

/// Admits, and sends lines back.
fn echo(id: ConnectionId, told: &Told, net: &mut Connections) {
    match told {
        Told::Opened(_) => {
            net.admit(id);
            net.feed(id, id);
        }
        Told::Received(line) => _ = net.send(id, line),
        Told::Ended => net.close(id),
        _ => {}
    }
}

/// A service that speaks first beside two that wait for their word.
fn shared() -> (Rehearsal, [Notes; 3]) {
    let (one, ones) = Probe::new(b"ONE ", echo);
    let (other, others) = Probe::new(b"ONCE ", echo);
    let (mut first, firsts) = Probe::new(b"\0never", |id, told, net| {
        if let Told::Opened(_) = told {
            net.admit(id);
            net.send(id, b"hello\n").unwrap();
        }
    });
    first.first = true;
    let services: Vec<Box<dyn TcpService>> = vec![Box::new(one), Box::new(other), Box::new(first)];
    (
        Rehearsal::shared(services, settings()),
        [ones, others, firsts],
    )
}

#[test]
fn the_first_bytes_decide_however_they_are_cut() {
    let (mut net, notes) = shared();
    for (text, winner) in [(&b"ONE a\nb\n"[..], 0), (b"ONCE a\nb\n", 1)] {
        for cut in 0..text.len() {
            let id = net.knock(None).unwrap();
            let (first, second) = text.split_at(cut);
            net.receive(id, first);
            net.receive(id, second);
            let told = notes[winner].take();
            let lines = [&text[..text.len() - 2], b"b\n"];
            assert_eq!(told, [ACCEPTED, line(lines[0]), line(lines[1])], "{cut}");
            assert_eq!(net.take_sent(id), text);
            net.reset(id);
            notes[winner].take();
        }
    }
    assert!(notes.iter().all(|notes| notes.take().is_empty()));
}

#[test]
fn silence_is_the_first_speakers() {
    let (mut net, [_, _, firsts]) = shared();
    let id = net.knock(None).unwrap();
    net.wait(299 * MS);
    assert_eq!(firsts.take(), []);
    net.wait(MS);
    assert_eq!(firsts.take(), [ACCEPTED]);
    assert_eq!(net.take_sent(id), b"hello\n");
    net.receive(id, b"ONE whatever\n");
    assert_eq!(firsts.take(), [line(b"ONE whatever\n")]);
}

#[test]
fn whoever_began_to_speak_is_not_silent() {
    let (mut net, [ones, _, firsts]) = shared();
    let id = net.knock(None).unwrap();
    net.receive(id, b"ON");
    net.wait(SECOND);
    assert_eq!(firsts.take(), []);
    net.receive(id, b"E a\n");
    assert_eq!(ones.take(), [ACCEPTED, line(b"ONE a\n")]);

    let id = net.knock(None).unwrap();
    net.receive(id, b"ON");
    net.wait(11 * SECOND);
    assert!(!net.is_open(id));
    let drops = &net.capacity().drops;
    assert_eq!(drops.count(Reason::HandshakeTimeout), 1);
}

#[test]
fn a_port_of_its_own_needs_no_word_and_no_delay() {
    let (mut net, [_, _, firsts]) = shared();
    let id = net.knock(Some(2)).unwrap();
    assert_eq!(firsts.take(), [ACCEPTED]);
    assert_eq!(net.take_sent(id), b"hello\n");
}

#[test]
fn an_unknown_word_is_refused() {
    let (mut net, notes) = shared();
    let id = net.knock(None).unwrap();
    net.receive(id, b"ONA");
    assert!(!net.is_open(id));
    assert_eq!(net.capacity().drops.count(Reason::UnknownProtocol), 1);
    assert!(notes.iter().all(|notes| notes.take().is_empty()));
    assert_eq!(net.capacity().open(), 0);
}

#[test]
fn whoever_leaves_without_a_word_was_nobodys() {
    let (mut net, notes) = shared();
    let id = net.knock(None).unwrap();
    net.half_close(id);
    assert!(!net.is_open(id));
    assert!(notes.iter().all(|notes| notes.take().is_empty()));
    assert_eq!(net.capacity().drops.total(), 0);
}

#[test]
fn the_caps_hold_and_places_come_back() {
    let (probe, _notes) = Probe::new(b"", echo);
    let mut net = Rehearsal::new(probe, settings());
    let ids: Vec<_> = (0..3).map(|_| net.knock(None).unwrap()).collect();
    assert_eq!(net.knock(None), Err(Reason::TooManyOfAddress));
    net.reset(ids[1]);
    let again = net.knock(None).unwrap();
    assert_eq!(again.index, ids[1].index);
    assert_ne!(again, ids[1]);
    assert!(!net.is_open(ids[1]), "an old id finds nobody");
    assert_eq!(net.capacity().open(), 3);
}

#[test]
fn caps_count_networks_and_all() {
    let capacity = Capacity::new(settings(), 1, Arc::default(), Arc::default());
    let enter = |text: &str| capacity.enter(text.parse().unwrap());
    assert_eq!(enter("2001:db8::1"), Ok(()));
    assert_eq!(enter("2001:db8::2"), Ok(()));
    assert_eq!(enter("2001:db8::ffff:0:0:1"), Ok(()));
    assert_eq!(enter("2001:db8::1"), Err(Reason::TooManyOfAddress));
    assert_eq!(enter("2001:db8:0:1::1"), Ok(()));
    assert_eq!(enter("192.0.2.1"), Err(Reason::TooManyConnections));
    capacity.leave("2001:db8::3".parse().unwrap());
    assert_eq!(enter("192.0.2.1"), Ok(()));
    assert_eq!(enter("192.0.2.2"), Err(Reason::TooManyConnections));
}

#[test]
fn a_source_waits_between_the_marks() {
    let (probe, notes) = Probe::new(b"", echo);
    let mut net = Rehearsal::new(probe, settings());
    let id = net.open();
    let text = [&b"a".repeat(39)[..], b"\n"].concat();
    assert!(net.receive(id, &text));
    assert!(net.receive(id, &text));
    assert!(
        net.receive(id, &text),
        "120 wait, which is above the high mark"
    );
    assert!(!net.receive(id, &text));
    assert_eq!(notes.take().len(), 4);
    assert_eq!(net.take_sent(id).len(), 120);
    assert_eq!(notes.take(), [Told::Writable]);
    assert!(net.receive(id, &text));
}

#[test]
fn whoever_is_sent_too_much_is_cut_off() {
    let (probe, notes) = Probe::new(b"", |id, told, net| {
        if let Told::Opened(_) = told {
            assert_eq!(net.send(id, &[0; 300]), Ok(()));
            assert_eq!(net.queued(id), 300);
            assert!(net.is_congested(id));
            assert_eq!(net.write(id, 65, |_| 0), Err(SendError::TooLong));
            assert_eq!(net.send(id, &[0; 1]), Err(SendError::Overflow));
            assert_eq!(net.send(id, &[0; 1]), Err(SendError::Gone));
            assert_eq!(net.peer(id), None);
        }
    });
    let mut net = Rehearsal::new(probe, settings());
    let id = net.open();
    assert!(!net.is_open(id));
    assert_eq!(notes.take(), [ACCEPTED, Told::Closed(Ending::Overflow)]);
    assert_eq!(net.capacity().drops.count(Reason::SlowReader), 1);
    let (free, all) = net.capacity().blocks_out();
    assert_eq!(free, all);
}

#[test]
fn blocks_that_others_hold_are_not_missed_by_the_modest() {
    let settings = TcpSettings {
        extra_blocks: 2,
        hard_cap: 1000,
        ..settings()
    };
    let (probe, notes) = Probe::new(b"", echo);
    let mut net = Rehearsal::new(probe, settings);
    let greedy = net.open();
    let text = [&b"a".repeat(63)[..], b"\n"].concat();
    for _ in 0..2 {
        assert!(net.receive(greedy, &text));
    }
    let ids = [net.open(), net.open()];
    for id in ids {
        assert!(net.receive(id, b"modest\n"));
        assert!(net.is_open(id));
    }
    for id in ids {
        assert_eq!(net.take_sent(id), b"modest\n");
    }
    assert_eq!(net.take_sent(greedy).len(), 128);
    notes.take();
    let (free, all) = net.capacity().blocks_out();
    assert_eq!(free, all);
}

#[test]
fn a_message_longer_than_a_block_ends_the_connection() {
    let (probe, notes) = Probe::new(b"", echo);
    let mut net = Rehearsal::new(probe, settings());
    let id = net.open();
    assert!(net.receive(id, &[b'a'; 63]));
    assert!(net.is_open(id));
    assert!(net.receive(id, b"a"));
    assert!(!net.is_open(id));
    assert_eq!(notes.take(), [ACCEPTED, Told::Closed(Ending::TooLong)]);
}

#[test]
fn paused_is_neither_read_nor_offered() {
    let (probe, notes) = Probe::new(b"", |id, told, net| match told {
        Told::Opened(_) => net.admit(id),
        Told::Received(line) if line == b"wait\n" => {
            net.pause(id);
            net.set_timer(id, Some(net.now + SECOND));
        }
        Told::Expired => net.resume(id),
        _ => {}
    });
    let mut net = Rehearsal::new(probe, settings());
    let id = net.open();
    net.receive(id, b"wait\nbegun");
    assert_eq!(notes.take(), [ACCEPTED, line(b"wait\n")]);
    assert!(!net.receive(id, b"x"));
    net.half_close(id);
    assert_eq!(notes.take(), []);
    net.wait(SECOND);
    assert_eq!(notes.take(), [Told::Expired, Told::Ended]);
}

#[test]
fn times_come_when_they_are_set() {
    let (probe, notes) = Probe::new(b"", |id, told, net| match told {
        Told::Opened(_) => {
            net.admit(id);
            net.set_timer(id, Some(net.now + 5 * SECOND));
            net.set_timer(id, Some(net.now + 2 * SECOND));
        }
        Told::Received(_) => net.set_timer(id, None),
        Told::Expired => net.set_timer(id, Some(net.now + 3 * SECOND)),
        _ => {}
    });
    let mut net = Rehearsal::new(probe, settings());
    let id = net.open();
    net.wait(2 * SECOND - MS);
    assert_eq!(notes.take(), [ACCEPTED]);
    net.wait(MS);
    assert_eq!(notes.take(), [Told::Expired]);
    net.wait(3 * SECOND);
    assert_eq!(notes.take(), [Told::Expired]);
    net.receive(id, b"\n");
    net.wait(100 * SECOND);
    assert_eq!(notes.take(), [line(b"\n")]);
    net.wait(20 * SECOND);
    assert_eq!(notes.take(), [Told::Closed(Ending::Idle)]);
    assert_eq!(net.capacity().drops.count(Reason::IdleTimeout), 1);
}

#[test]
fn idle_counts_from_the_last_byte_and_can_be_changed() {
    let (probe, notes) = Probe::new(b"", |id, told, net| match told {
        Told::Opened(_) => net.admit(id),
        Told::Received(line) if line == b"two\n" => net.set_idle_timeout(id, Some(2 * SECOND)),
        Told::Received(_) => net.set_idle_timeout(id, None),
        _ => {}
    });
    let mut net = Rehearsal::new(probe, settings());
    let id = net.open();
    for _ in 0..3 {
        net.wait(119 * SECOND);
        net.receive(id, b"a");
        assert!(net.is_open(id));
    }
    net.receive(id, b"\n");
    net.wait(10_000 * SECOND);
    assert!(net.is_open(id), "for ever");
    net.receive(id, b"two\n");
    net.wait(2 * SECOND);
    assert_eq!(notes.take().last(), Some(&Told::Closed(Ending::Idle)));
}

#[test]
fn whoever_is_not_admitted_or_takes_nothing_is_closed() {
    let (probe, notes) = Probe::new(b"", |_, _, _| {});
    let mut net = Rehearsal::new(probe, settings());
    let id = net.open();
    net.receive(id, b"\n");
    net.wait(10 * SECOND);
    assert_eq!(notes.take()[2..], [Told::Closed(Ending::Handshake)]);

    let (probe, notes) = Probe::new(b"", echo);
    let mut net = Rehearsal::new(probe, settings());
    let id = net.open();
    net.receive(id, b"a\n");
    net.wait(29 * SECOND);
    assert_eq!(net.take_sent(id), b"a\n");
    net.receive(id, b"b\n");
    net.wait(29 * SECOND);
    net.receive(id, b"c\n");
    assert!(net.is_open(id), "what waits began to wait with b");
    net.wait(SECOND);
    assert_eq!(notes.take().last(), Some(&Told::Closed(Ending::Stalled)));
}

#[test]
fn a_connection_is_made_or_not() {
    let peer: SocketAddr = "192.0.2.1:1".parse().unwrap();
    let (probe, notes) = Probe::new(b"", move |id, told, net| match told {
        Told::Received(line) if line == b"connect\n" => {
            let made = net.connect(peer, None).unwrap();
            net.send(made, b"early ").unwrap();
        }
        Told::Received(line) if line == b"too many\n" => {
            let error = net.connect(peer, None).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::QuotaExceeded);
        }
        Told::Opened(Origin::Connected) => {
            assert_eq!(net.peer(id), Some(peer));
            net.send(id, b"late").unwrap();
        }
        Told::Opened(_) => net.admit(id),
        _ => {}
    });
    let mut net = Rehearsal::new(probe, settings());
    let id = net.open();
    net.receive(id, b"connect\nconnect\ntoo many\n");
    notes.take();
    let made = ConnectionId {
        index: id.index + 1,
        generation: 0,
    };
    net.take(made);
    assert_eq!(notes.ids(), [made]);
    assert_eq!(notes.take(), [Told::Opened(Origin::Connected)]);
    assert_eq!(net.take_sent(made), b"early late");
    net.wait(5 * SECOND);
    let told = notes.take();
    assert_eq!(told.len(), 2);
    let failed = Ending::ConnectFailed(io::ErrorKind::TimedOut);
    assert!(told.contains(&Told::Closed(failed)));
    assert!(told.contains(&Told::Closed(Ending::Handshake)));
    net.receive(id, b"connect\n");
    assert_eq!(notes.take(), [line(b"connect\n")], "there is room again");
}

#[test]
fn either_side_may_close_first() {
    let (probe, notes) = Probe::new(b"", |id, told, net| match told {
        Told::Opened(_) => net.admit(id),
        Told::Received(line) if line == b"close\n" => {
            net.send(id, b"bye\n").unwrap();
            net.close(id);
            assert_eq!(net.send(id, b"more\n"), Err(SendError::Gone));
        }
        Told::Received(line) if line == b"half\n" => {
            net.send(id, b"bye\n").unwrap();
            net.half_close(id);
            assert_eq!(net.send(id, b"more\n"), Err(SendError::Gone));
        }
        Told::Received(line) if line == b"abort\n" => net.abort(id),
        Told::Ended => net.half_close(id),
        _ => {}
    });
    let mut net = Rehearsal::new(probe, settings());
    let mut end = |text: &[u8], leaves: bool| {
        let id = net.open();
        net.receive(id, text);
        let sent = net.take_sent(id);
        if net.is_open(id) {
            assert_eq!(net.is_shut(id), !sent.is_empty());
            if leaves {
                net.half_close(id);
            } else {
                net.wait(2 * SECOND);
            }
            assert!(!net.is_open(id));
        }
        (sent, notes.take().pop())
    };
    let bye = b"bye\n".to_vec();
    let service = Some(Told::Closed(Ending::Service));
    let done = Some(Told::Closed(Ending::Done));
    assert_eq!(end(b"close\n", true), (bye.clone(), service.clone()));
    assert_eq!(end(b"close\nx", false), (bye.clone(), service.clone()));
    assert_eq!(end(b"half\n", true), (bye, done.clone()));
    assert_eq!(end(b"abort\n", true), (vec![], service));
    assert_eq!(end(b"", true), (vec![], done));
}

#[test]
fn a_stop_lets_last_words_out() {
    let (probe, notes) = Probe::new(b"", echo);
    let mut net = Rehearsal::new(probe, settings());
    let (busy, idle) = (net.open(), net.knock(None).unwrap());
    net.receive(busy, b"a\n");
    notes.take();
    net.stop();
    assert_eq!(notes.take(), [Told::Stopping]);
    assert!(!net.is_open(idle));
    assert_eq!(net.take_sent(busy), b"a\n");
    net.half_close(busy);
    assert_eq!(notes.take(), [Told::Closed(Ending::Service)]);
    assert_eq!(net.capacity().open(), 0);
}

/// A step of somebody who uses connections in any order.
#[derive(Clone, Debug)]
enum Step {
    Knock(Option<usize>),
    Receive(usize, Vec<u8>),
    Take(usize),
    HalfClose(usize),
    Reset(usize),
    Wait(u64),
}

fn step() -> impl Strategy<Value = Step> {
    let which = 0..5usize;
    let bytes = prop::collection::vec(
        prop_oneof![Just(b'O'), Just(b'N'), Just(b'E'), Just(b' '), Just(b'\n')],
        0..90,
    );
    prop_oneof![
        2 => prop::option::of(0..3usize).prop_map(Step::Knock),
        4 => (which.clone(), bytes).prop_map(|(at, bytes)| Step::Receive(at, bytes)),
        2 => which.clone().prop_map(Step::Take),
        1 => which.clone().prop_map(Step::HalfClose),
        1 => which.prop_map(Step::Reset),
        1 => (0..40_000u64).prop_map(Step::Wait),
    ]
}

type Heard = Arc<Mutex<Vec<(ConnectionId, Vec<u8>)>>>;

/// Parts with whoever says so, and takes it in again, as another loop would.
#[derive(Debug, Default)]
struct Mover {
    leaving: Vec<ConnectionId>,
    heard: Heard,
    ended: Arc<Mutex<Vec<Ending>>>,
    /// Whether those that left are lost on the way.
    loses: bool,
}

impl TcpService for Mover {
    fn name(&self) -> &'static str {
        "mover"
    }

    fn sniff(&self, _: &[u8]) -> Sniff {
        Sniff::Yes
    }

    fn opened(&mut self, _: Time, _: ConnectionId, _: Origin, _: &mut Connections) {}

    fn received(
        &mut self,
        _: Time,
        id: ConnectionId,
        bytes: &mut [u8],
        _: &mut Connections,
    ) -> usize {
        self.heard.lock().unwrap().push((id, bytes.to_vec()));
        if bytes.starts_with(b"move") {
            self.leaving.push(id);
            return 4;
        }
        bytes.len()
    }

    fn closed(&mut self, _: Time, _: ConnectionId, ending: Ending, _: &mut Connections) {
        self.ended.lock().unwrap().push(ending);
    }

    fn turn(&mut self, _: Time, net: &mut Connections) -> Progress {
        for id in self.leaving.drain(..) {
            let parted = net.part(id).unwrap();
            assert!(net.part(id).is_none());
            if !self.loses {
                net.adopt(parted).unwrap();
            }
        }
        Progress::default()
    }
}

#[test]
fn a_connection_goes_on_elsewhere() {
    let mover = Mover::default();
    let (heard, ended) = (mover.heard.clone(), mover.ended.clone());
    let mut net = Rehearsal::new(mover, TcpSettings::default());
    let first = net.open();
    net.receive(first, b"moverest");
    assert!(!net.is_open(first));
    assert_eq!(*ended.lock().unwrap(), [Ending::Parted]);
    let (second, rest) = heard.lock().unwrap()[1].clone();
    assert_eq!(rest, b"rest");
    net.receive(second, b"more");
    assert_eq!(heard.lock().unwrap()[2], (second, b"more".to_vec()));
    assert_eq!(net.capacity().open(), 1);
    // It has to be admitted like any other.
    net.wait(11 * SECOND);
    assert_eq!(ended.lock().unwrap().last(), Some(&Ending::Handshake));
    assert_eq!(net.capacity().open(), 0);
}

#[test]
fn a_connection_lost_on_its_way_counts_no_more() {
    let mover = Mover {
        loses: true,
        ..Mover::default()
    };
    let mut net = Rehearsal::new(mover, TcpSettings::default());
    let id = net.open();
    net.receive(id, b"moverest");
    assert!(!net.is_open(id));
    assert_eq!(net.capacity().open(), 0);
    let (free, all) = net.capacity().blocks_in();
    assert!(all - free <= 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn nothing_is_lost_whatever_happens(steps in prop::collection::vec(step(), 0..60)) {
        let (mut net, notes) = shared();
        let mut ids = Vec::new();
        for step in steps {
            let at = |index: usize| ids.get(index).copied();
            match step {
                Step::Knock(service) => ids.extend(net.knock(service)),
                Step::Receive(index, bytes) => {
                    at(index).map(|id| net.receive(id, &bytes));
                }
                Step::Take(index) => drop(at(index).map(|id| net.take_sent(id))),
                Step::HalfClose(index) => drop(at(index).map(|id| net.half_close(id))),
                Step::Reset(index) => drop(at(index).map(|id| net.reset(id))),
                Step::Wait(millis) => net.wait(Duration::from_millis(millis)),
            }
            ids.retain(|id| net.is_open(*id));
            prop_assert_eq!(net.capacity().open(), ids.len());
        }
        for id in ids {
            net.reset(id);
        }
        let told: Vec<_> = notes.iter().flat_map(Notes::take).collect();
        let opened = told.iter().filter(|it| matches!(it, Told::Opened(_))).count();
        let closed = told.iter().filter(|it| matches!(it, Told::Closed(_))).count();
        prop_assert_eq!(opened, closed);
        prop_assert_eq!(net.capacity().open(), 0);
        let (free, all) = net.capacity().blocks_out();
        prop_assert_eq!(free, all);
        let (free, all) = net.capacity().blocks_in();
        prop_assert!(all - free <= 1, "the loop keeps one at hand");
    }
}

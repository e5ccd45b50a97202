//! Frame sync as kaillera.md 8.2 to 8.5 tell it, one player at a time and with no thought
//! of speed.

use crate::lobby::sync::{Desync, Input, MAX_OUTPUT, Output, SyncEvent, SyncSink};
use std::collections::VecDeque;

/// A data message that owns its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::lobby::sync) enum Wire {
    Data(Vec<u8>),
    Cached(u8),
}

impl Wire {
    pub(in crate::lobby::sync) fn as_input(&self) -> Input<'_> {
        match self {
            Self::Data(payload) => Input::Data(payload),
            Self::Cached(index) => Input::Cached(*index),
        }
    }
}

/// What a sink was told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Said {
    Output(usize, Wire),
    Event(SyncEvent),
}

#[derive(Debug, Default)]
pub(super) struct Recorder(pub(super) Vec<Said>);

impl SyncSink for Recorder {
    fn output(&mut self, player: usize, output: Output<'_>) {
        let wire = match output {
            Output::Data(payload) => Wire::Data(payload.to_vec()),
            Output::Cached(index) => Wire::Cached(index),
        };
        self.0.push(Said::Output(player, wire));
    }

    fn event(&mut self, event: SyncEvent) {
        self.0.push(Said::Event(event));
    }
}

/// One end of a cache, as a client keeps it.
#[derive(Clone, Debug, Default)]
pub(in crate::lobby::sync) struct CacheEnd(VecDeque<Vec<u8>>);

impl CacheEnd {
    fn add(&mut self, payload: &[u8]) {
        if self.0.len() == 256 {
            self.0.pop_front();
        }
        self.0.push_back(payload.to_vec());
    }

    pub(in crate::lobby::sync) fn send(&mut self, payload: &[u8]) -> Wire {
        match self.0.iter().rposition(|entry| entry == payload) {
            Some(index) => Wire::Cached(index as u8),
            None => self.send_whole(payload),
        }
    }

    pub(in crate::lobby::sync) fn send_whole(&mut self, payload: &[u8]) -> Wire {
        self.add(payload);
        Wire::Data(payload.to_vec())
    }

    pub(in crate::lobby::sync) fn receive(&mut self, wire: &Wire) -> Option<Vec<u8>> {
        match wire {
            Wire::Data(payload) => {
                self.add(payload);
                Some(payload.clone())
            }
            Wire::Cached(index) => self.0.get(usize::from(*index)).cloned(),
        }
    }
}

#[derive(Debug, Default)]
struct Player {
    active: bool,
    zeros: usize,
    count: usize,
    lost: VecDeque<Vec<u8>>,
    queue: VecDeque<u8>,
    from_client: CacheEnd,
    to_client: CacheEnd,
    bad_index: bool,
    odd_length: bool,
}

#[derive(Debug)]
pub(super) struct Model {
    frames: usize,
    input_len: Option<usize>,
    players: Vec<Player>,
    playing: bool,
    said: Vec<Said>,
}

impl Model {
    pub(super) fn begin(frames: usize, delays: &[u16]) -> Self {
        let highest = delays.iter().copied().max().unwrap().max(1);
        let player = |delay: &u16| Player {
            active: true,
            zeros: usize::from(highest + (highest - delay) + 5),
            ..Player::default()
        };
        Self {
            frames,
            input_len: None,
            players: delays.iter().map(player).collect(),
            playing: false,
            said: Vec::new(),
        }
    }

    pub(super) fn play(&mut self) {
        self.playing = true;
    }

    pub(super) fn zeros(&self, player: usize) -> usize {
        self.players[player].zeros
    }

    pub(super) fn is_active(&self, player: usize) -> bool {
        self.players[player].active
    }

    pub(super) fn take_said(&mut self) -> Vec<Said> {
        std::mem::take(&mut self.said)
    }

    pub(super) fn input(&mut self, index: usize, wire: &Wire) {
        if !self.playing || !self.players[index].active {
            return;
        }
        let (n, c) = (self.players.len(), self.frames);
        if let (None, Wire::Data(payload)) = (self.input_len, wire) {
            let longest = MAX_OUTPUT / (n * c);
            self.input_len = Some((payload.len() / c).clamp(1, longest));
        }
        let payload = self.players[index].from_client.receive(wire);
        if payload.is_none() && !self.players[index].bad_index {
            self.players[index].bad_index = true;
            self.say(SyncEvent::BadIndex { player: index });
        }
        let Some(b) = self.input_len else {
            return;
        };
        let mut payload = payload.unwrap_or(vec![0; c * b]);
        if matches!(wire, Wire::Data(_))
            && payload.len() != c * b
            && !self.players[index].odd_length
        {
            self.players[index].odd_length = true;
            self.say(SyncEvent::OddLength { player: index });
        }
        payload.resize(c * b, 0);
        self.feed(index, payload);
    }

    fn feed(&mut self, index: usize, payload: Vec<u8>) {
        let player = &mut self.players[index];
        player.count += 1;
        if player.count <= player.zeros {
            let zeros = vec![0; self.players.len() * payload.len()];
            self.players[index].lost.push_back(payload);
            self.output(index, &zeros);
            return;
        }
        let payload_len = payload.len();
        if player.queue.len() == 64 * payload_len {
            player.active = false;
            self.say(SyncEvent::Flooded { player: index });
        } else {
            let feed = player.lost.pop_front().unwrap_or(payload);
            player.queue.extend(feed);
        }
        self.fan_out();
    }

    pub(super) fn gap(&mut self, player: usize) {
        if self.playing && self.players[player].active {
            self.players[player].active = false;
            let cause = Desync::Gap;
            self.say(SyncEvent::Desynchronised { player, cause });
            self.fan_out();
        }
    }

    pub(super) fn remove(&mut self, player: usize) {
        self.players[player].active = false;
        self.fan_out();
    }

    fn fan_out(&mut self) {
        let Some(b) = self.input_len else {
            return;
        };
        let needed = self.frames * b;
        while self.players.iter().any(|player| player.active)
            && self
                .players
                .iter()
                .all(|it| !it.active || it.queue.len() >= needed)
        {
            let mut out = Vec::new();
            for _ in 0..self.frames {
                for player in &mut self.players {
                    if player.active {
                        out.extend(player.queue.drain(..b));
                    } else {
                        out.resize(out.len() + b, 0);
                    }
                }
            }
            for index in 0..self.players.len() {
                if self.players[index].active {
                    self.output(index, &out);
                }
            }
        }
    }

    fn output(&mut self, index: usize, payload: &[u8]) {
        let wire = self.players[index].to_client.send(payload);
        self.said.push(Said::Output(index, wire));
    }

    fn say(&mut self, event: SyncEvent) {
        self.said.push(Said::Event(event));
    }
}

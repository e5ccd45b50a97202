//! What is known of each session of a loop.

use super::sessions::{BENCH, LONGEST};
use crate::{
    maple::{Decoder, Direction, Encoder, Iv, Lanes},
    metrics::Metrics,
    net::tcp::ConnectionId,
    service::packet_log::{Record, Recorder},
    timer::Time,
};
use std::{sync::Arc, time::Duration};

/// One client.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) generation: u32,
    pub(super) decoder: Decoder,
    /// Away while a broadcast is made, and once the session is being closed.
    pub(super) encoder: Option<Box<Encoder>>,
    pub(super) heard: Time,
    /// When it was asked whether it is there, if it has said nothing since.
    pub(super) pinged: Option<Time>,
    /// It is on the list of those whose keystreams were used.
    pub(super) thirsty: bool,
    /// Its packets go to the packet log.
    pub(super) logged: Option<Logged>,
}

/// What the packet log knows of a session.
#[derive(Clone, Copy, Debug)]
pub(super) struct Logged {
    pub(super) number: u64,
    /// Whether it may say passwords: it did not begin by coming in from another server. `None`
    /// until it has said something.
    pub(super) is_login: Option<bool>,
}

impl Logged {
    pub(super) fn record(self, at: Time, direction: Direction, iv: Iv) -> Record {
        Record {
            at,
            session: self.number,
            direction,
            iv,
            is_login: self.is_login.unwrap_or(true),
        }
    }
}

impl Session {
    /// Whether anything it says still counts.
    pub(super) fn is_open(&self) -> bool {
        self.encoder.is_some()
    }

    /// How long it has said nothing.
    pub(super) fn silence(&self, now: Time) -> Duration {
        now.since(self.heard)
    }
}

/// All sessions of a loop, by the place of their connection.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) slots: Vec<Option<Session>>,
    pub(super) open: usize,
    pub(super) lanes: Lanes,
    pub(super) bench: Box<[u8]>,
    /// Memory for those a broadcast goes to.
    pub(super) everybody: Vec<ConnectionId>,
    pub(super) log: Option<Recorder>,
    pub(super) metrics: Arc<Metrics>,
}

impl Table {
    pub(super) fn new(metrics: Arc<Metrics>) -> Self {
        Self {
            slots: Vec::new(),
            open: 0,
            lanes: Lanes::new(LONGEST),
            bench: vec![0; BENCH].into(),
            everybody: Vec::new(),
            log: None,
            metrics,
        }
    }

    pub(super) fn insert(&mut self, index: u32, session: Session) {
        let index = index as usize;
        if self.slots.len() <= index {
            self.slots.resize_with(index + 1, || None);
        }
        if let Some(slot) = self.slots.get_mut(index) {
            *slot = Some(session);
            self.open += 1;
        }
    }

    pub(super) fn remove(&mut self, id: ConnectionId) -> Option<Session> {
        get(&self.slots, id)?;
        self.open -= 1;
        self.slots.get_mut(id.index as usize)?.take()
    }

    /// Leaves a packet of a session for the packet log, before it is decoded.
    pub(super) fn log_received(&mut self, now: Time, id: ConnectionId, received: &[u8]) {
        let Some(log) = &self.log else { return };
        let Some(session) = get_mut(&mut self.slots, id) else {
            return;
        };
        let Some(logged) = &mut session.logged else {
            return;
        };
        let Ok(Some(header)) = session.decoder.header(received) else {
            return;
        };
        let Some(frame) = received.get(..header.header_len + header.len) else {
            return;
        };
        if logged.is_login.is_none() {
            let opcode = session.decoder.peek_opcode(received).ok().flatten();
            let arrives = opcode.is_some_and(|opcode| log.is_arrival(opcode));
            logged.is_login = Some(!arrives);
        }
        let record = logged.record(now, Direction::ToServer, session.decoder.iv());
        log.record(record, frame);
    }

    pub(super) fn get_mut(&mut self, id: ConnectionId) -> Option<&mut Session> {
        get_mut(&mut self.slots, id)
    }

    /// Makes all keystreams ahead that a session may have.
    pub(super) fn prefetch(&mut self, id: ConnectionId) {
        if let Some(session) = self.get_mut(id) {
            session.thirsty = false;
            session.decoder.prefetch();
            if let Some(encoder) = &mut session.encoder {
                encoder.prefetch();
            }
        }
    }
}

pub(super) fn get(slots: &[Option<Session>], id: ConnectionId) -> Option<&Session> {
    let session = slots.get(id.index as usize)?.as_ref()?;
    (session.generation == id.generation).then_some(session)
}

pub(super) fn get_mut(slots: &mut [Option<Session>], id: ConnectionId) -> Option<&mut Session> {
    let session = slots.get_mut(id.index as usize)?.as_mut()?;
    (session.generation == id.generation).then_some(session)
}

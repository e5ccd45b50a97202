//! What comes in: read once, offered to whom it belongs, kept as far as it is not consumed.

use super::{
    ConnectionId, Ending,
    connection::{Hearing, Phase},
    driver::Driver,
};
use crate::{
    buffer::Frame,
    metrics::Reason,
    net::sniff::{self, Verdict},
};

impl Driver {
    /// Puts `bytes` where received ones are, as far as there is room and they may be read.
    pub(super) fn deliver(&mut self, id: ConnectionId, bytes: &[u8]) -> usize {
        let net = &self.connections;
        if net
            .get(id)
            .is_none_or(|it| !it.is_heard() || net.is_held(it))
        {
            return 0;
        }
        let now = self.connections.now;
        let kept = self.at(id.index).and_then(|it| it.input.take());
        let Some(mut input) = kept.or_else(|| self.block()) else {
            return 0;
        };
        let len = input.len();
        let room = input.buffer_mut().get_mut(len..).unwrap_or_default();
        let count = bytes.len().min(room.len());
        if let (Some(room), Some(bytes)) = (room.get_mut(..count), bytes.get(..count)) {
            room.copy_from_slice(bytes);
        }
        input.set_len(len + count);
        if let Some(connection) = self.at(id.index) {
            connection.input = Some(input);
            connection.offer_again = true;
            connection.times.heard = now;
        }
        self.connections.list(id.index);
        count
    }

    /// Does what there is to do for the connection at this place.
    pub(super) fn look(&mut self, index: u32) {
        let Some(connection) = self.at(index) else {
            return;
        };
        if std::mem::take(&mut connection.failed)
            && let Some(error) = connection.take_error()
        {
            self.fail(index, error.kind());
            return;
        }
        match connection.phase {
            Phase::Connecting { service } => self.connected(index, service),
            Phase::Sniffing | Phase::Open { .. } => self.receive(index),
            Phase::Closing { .. } => self.discard(index),
            Phase::Ended { .. } => {}
        }
    }

    /// The system has news of a connection we make.
    fn connected(&mut self, index: u32, service: usize) {
        let now = self.connections.now;
        let Some(connection) = self.at(index) else {
            return;
        };
        if !connection.writable {
            return;
        }
        match connection.connected() {
            Ok(true) => {
                let times = &mut connection.times;
                (times.heard, times.moved) = (now, now);
                self.connections.capacity.metrics.connections_made.add(1);
                self.open(index, service);
                self.connections.mark_dirty(index);
                self.connections.list(index);
            }
            Ok(false) => {}
            Err(error) => self.fail(index, error.kind()),
        }
    }

    /// Reads once and offers what is there.
    fn receive(&mut self, index: u32) {
        let Some(id) = self.connections.id_at(index) else {
            return;
        };
        let net = &self.connections;
        if net.get(id).is_none_or(|it| net.is_held(it)) {
            return;
        }
        let now = net.now;
        let kept = self.at(index).and_then(|it| it.input.take());
        let Some(mut input) = kept.or_else(|| self.block()) else {
            self.connections.end(index, Ending::NoBlock);
            return;
        };
        let Some(connection) = self.connections.get_mut(id) else {
            return;
        };
        let reads = connection.readable && connection.hearing == Hearing::Open;
        let mut offer = std::mem::take(&mut connection.offer_again);
        if reads {
            match connection.read(&mut input) {
                Ok(count) => {
                    offer |= count > 0;
                    if count > 0 {
                        connection.times.heard = now;
                    }
                    let metrics = &self.connections.capacity.metrics;
                    metrics.stream_bytes_in.add(count as u64);
                }
                Err(error) => {
                    self.keep(index, input);
                    self.fail(index, error.kind());
                    return;
                }
            }
        }
        if offer && !input.is_empty() {
            self.offer(index, &mut input);
        }
        self.keep(index, input);
        self.after_reading(index);
    }

    /// An empty block to read into.
    fn block(&mut self) -> Option<Frame> {
        let spare = self.spare.take();
        spare.or_else(|| self.connections.capacity.block_in())
    }

    /// Puts what is left of the input where the next look finds it.
    fn keep(&mut self, index: u32, mut input: Frame) {
        if let Some(connection) = self.at(index)
            && connection.is_heard()
            && !input.is_empty()
        {
            connection.input = Some(input);
        } else if self.spare.is_none() {
            input.set_len(0);
            self.spare = Some(input);
        }
    }

    fn after_reading(&mut self, index: u32) {
        let now = self.connections.now;
        let Some(id) = self.connections.id_at(index) else {
            return;
        };
        let net = &self.connections;
        let Some(connection) = net.get(id) else {
            return;
        };
        if net.is_held(connection) {
            return;
        }
        let (phase, hearing) = (connection.phase, connection.hearing);
        if connection.readable && hearing == Hearing::Open {
            self.connections.list(index);
        }
        match (phase, hearing) {
            (Phase::Sniffing, Hearing::Ended) => self.connections.end(index, Ending::Done),
            (Phase::Open { service }, Hearing::Ended) => {
                if let Some(connection) = self.at(index) {
                    connection.hearing = Hearing::Told;
                    connection.times.heard = now;
                }
                self.call(service, |it, net| it.ended(now, id, net));
                self.finish(index);
            }
            (Phase::Closing { .. }, _) => self.connections.list(index),
            _ => {}
        }
    }

    /// Offers the bytes of `input` to whom they belong, and leaves in it what is not consumed.
    fn offer(&mut self, index: u32, input: &mut Frame) {
        let now = self.connections.now;
        let Some(connection) = self.at(index) else {
            return;
        };
        if connection.phase == Phase::Sniffing {
            match sniff::decide(&self.services, input) {
                Verdict::Service(service) => self.open(index, service),
                Verdict::NeedMore if input.len() < input.capacity() => return,
                Verdict::NeedMore | Verdict::Nobody => {
                    self.refuse(index);
                    return;
                }
            }
        }
        let Some(id) = self.connections.id_at(index) else {
            return;
        };
        let Some(Phase::Open { service }) = self.connections.get(id).map(|it| it.phase) else {
            return;
        };
        if self.connections.get(id).is_some_and(|it| it.paused) {
            return;
        }
        let len = input.len();
        let consumed = self.call(service, |service, net| {
            let bytes = input.buffer_mut().get_mut(..len).unwrap_or_default();
            service.received(now, id, bytes, net)
        });
        if consumed == 0 && len == input.capacity() {
            let net = &self.connections;
            if net.get(id).is_some_and(|it| !net.is_held(it)) {
                self.connections.end(index, Ending::TooLong);
            }
            return;
        }
        let consumed = consumed.min(len);
        if consumed > 0 {
            input.buffer_mut().copy_within(consumed..len, 0);
            input.set_len(len - consumed);
        }
    }

    /// Nobody speaks like that.
    fn refuse(&mut self, index: u32) {
        let now = self.connections.now;
        if let Some(connection) = self.at(index) {
            let peer = connection.peer;
            let capacity = &self.connections.capacity;
            capacity.count_drop(Reason::UnknownProtocol, peer, now);
        }
        self.connections.end(index, Ending::Service);
    }

    /// Reads what a connection that is being closed still sends, for nobody.
    fn discard(&mut self, index: u32) {
        let Some(mut block) = self.block() else {
            return;
        };
        let Some(connection) = self.at(index) else {
            return;
        };
        let read = match connection.hearing {
            Hearing::Open if connection.readable => connection.read(&mut block),
            _ => Ok(0),
        };
        let more = connection.readable && connection.hearing == Hearing::Open;
        match read {
            Ok(_) if more => self.connections.list(index),
            Ok(_) => self.finish(index),
            Err(error) => self.fail(index, error.kind()),
        }
        block.set_len(0);
        self.spare = Some(block);
    }
}

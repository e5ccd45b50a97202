//! What becomes of the bytes of either side of a session.

use super::{
    Context,
    home::{Home, Live, Mend, Stage},
};
use crate::{
    buffer::Writer,
    metrics::Reason,
    minecraft::{
        Frame, Received, component,
        idle::{Answer, ClientLoss, Fault, MAX_CLIENT_FRAME, NEEDS_ACCOUNT, Passage, Session},
    },
    net::tcp::{ConnectionId, Connections},
    timer::Time,
};

/// What ends the reading of a side.
enum Stop {
    /// The player is lost, not the session.
    Lost(ClientLoss),
    /// The session is over; the reason is JSON.
    Over(String),
    /// The side does not keep to the protocol.
    Fault(Fault),
}

impl Home {
    /// What came from the upstream; how many bytes are done with.
    pub(super) fn hear_upstream(
        &mut self,
        now: Time,
        bytes: &[u8],
        context: &mut Context,
        net: &mut Connections,
    ) -> usize {
        let mut consumed = 0;
        if !self.long.is_empty() {
            match self.lengthen(bytes) {
                Some(len) => consumed = len,
                None => return bytes.len(),
            }
            let mut frame = std::mem::take(&mut self.long);
            self.frames(now, &frame, context, net);
            frame.clear();
            self.long = frame;
        }
        let rest = bytes.get(consumed..).unwrap_or_default();
        consumed += self.frames(now, rest, context, net);
        let rest = bytes.get(consumed..).unwrap_or_default();
        match self.framing().map(|framing| framing.receive(rest)) {
            Some(Ok(Received::Incomplete { missing })) if rest.len() + missing > net.block() => {
                self.long.extend_from_slice(rest);
                bytes.len()
            }
            Some(_) => consumed,
            None => bytes.len(),
        }
    }

    /// Adds what is missing of a long frame; how much that was, once it is whole.
    fn lengthen(&mut self, bytes: &[u8]) -> Option<usize> {
        let framing = self.framing()?;
        let Ok(Received::Incomplete { missing }) = framing.receive(&self.long) else {
            return Some(0);
        };
        let len = missing.min(bytes.len());
        self.long.extend_from_slice(bytes.get(..len)?);
        (len == missing).then_some(len)
    }

    /// Takes all whole frames at the front of `received`; how many bytes they were.
    fn frames(
        &mut self,
        now: Time,
        received: &[u8],
        context: &mut Context,
        net: &mut Connections,
    ) -> usize {
        let mut at = 0;
        loop {
            let rest = received.get(at..).unwrap_or_default();
            match &mut self.stage {
                Stage::Joining { .. } => match self.answer(now, rest, context, net) {
                    0 => return at,
                    len => at += len,
                },
                Stage::Live(live) => {
                    let (len, stop) = live.relay_down(now, rest, self.client, context, net);
                    self.stop_upstream(now, stop, context, net);
                    return at + len;
                }
                Stage::Over | Stage::Waiting { .. } => return received.len(),
            }
        }
    }

    /// What the upstream says to a login; how many bytes of it.
    fn answer(
        &mut self,
        now: Time,
        received: &[u8],
        context: &mut Context,
        net: &mut Connections,
    ) -> usize {
        let Stage::Joining { upstream, login } = &mut self.stage else {
            return 0;
        };
        let upstream = *upstream;
        match login.receive(received, &mut context.zlib) {
            Ok((len, Answer::Wait)) => len,
            Ok((len, answer)) => {
                self.decide(now, upstream, answer, context, net);
                len
            }
            Err(fault) => {
                let reason = format!("The upstream server does not speak as 1.12.2 does: {fault}.");
                self.fail(now, component(&reason), Mend::Maybe, context, net);
                received.len()
            }
        }
    }

    fn decide(
        &mut self,
        now: Time,
        upstream: ConnectionId,
        answer: Answer,
        context: &mut Context,
        net: &mut Connections,
    ) {
        let settings = context.settings.clone();
        match (answer, &settings.idle) {
            (
                Answer::Welcome {
                    uuid,
                    name,
                    framing,
                },
                Some(idle),
            ) => {
                let session = Session::new(idle.session(), uuid, name, framing, now);
                self.welcome(now, upstream, session, context, net);
            }
            (Answer::Refused(reason), _) => self.fail(now, reason, Mend::Maybe, context, net),
            (Answer::NeedsAccount, _) => {
                self.fail(now, component(NEEDS_ACCOUNT), Mend::Never, context, net);
            }
            _ => {}
        }
    }

    fn stop_upstream(
        &mut self,
        now: Time,
        stop: Option<Stop>,
        context: &mut Context,
        net: &mut Connections,
    ) {
        match stop {
            None => {}
            Some(Stop::Lost(loss)) => self.lose(now, loss, context, net),
            Some(Stop::Over(reason)) => self.fail(now, reason, Mend::Maybe, context, net),
            Some(Stop::Fault(fault)) => {
                let reason = format!("The upstream server broke the protocol: {fault}.");
                self.fail(now, component(&reason), Mend::Maybe, context, net);
            }
        }
    }

    /// What came from the player; how many bytes are done with.
    pub(super) fn hear_client(
        &mut self,
        now: Time,
        client: ConnectionId,
        bytes: &[u8],
        context: &mut Context,
        net: &mut Connections,
    ) -> usize {
        // Until there is a session, it waits in the client's block.
        let Stage::Live(live) = &mut self.stage else {
            return 0;
        };
        let (len, stop) = live.relay_up(now, bytes, context, net);
        if let Some(Stop::Fault(fault)) = stop {
            log::debug!("minecraft: {} broke the protocol: {fault}", self.name);
            net.refuse(client, Reason::BadFrame);
            self.leave(now, context, net);
        }
        len
    }
}

impl Live {
    /// Passes on what the upstream says, and answers it.
    fn relay_down(
        &mut self,
        now: Time,
        received: &[u8],
        client: Option<ConnectionId>,
        context: &mut Context,
        net: &mut Connections,
    ) -> (usize, Option<Stop>) {
        let (upstream, session) = (self.upstream, &mut self.session);
        if let Some(client) = client
            && (net.is_congested(client) || received.len() > net.block())
        {
            session.hold();
        }
        let framing = session.framing();
        let mut batch = Batch::new(received, client);
        loop {
            let frame = match framing.receive(batch.rest()) {
                Ok(Received::Incomplete { .. }) => break,
                Ok(Received::Frame(frame)) => frame,
                Err(error) => {
                    batch.stop = Some(Stop::Fault(error.into()));
                    break;
                }
            };
            let mut writer = Writer::new(&mut context.answers);
            let zlib = &mut context.zlib;
            let passage = session.receive_from_upstream(now, &frame, zlib, &mut writer);
            if !writer.is_empty() {
                // An upstream that takes no more is closed, and told to be.
                let _ = net.send(upstream, writer.written());
            }
            if !batch.pass(&frame, passage, net) {
                break;
            }
        }
        batch.send(net);
        context.metrics.minecraft_relayed_out.add(batch.passed);
        self.arm(net);
        if let Some(client) = client {
            self.pump(client, net);
        }
        (batch.at, batch.stop)
    }

    /// Passes on what the client says.
    fn relay_up(
        &mut self,
        now: Time,
        received: &[u8],
        context: &mut Context,
        net: &mut Connections,
    ) -> (usize, Option<Stop>) {
        let framing = self.session.framing().accepting(MAX_CLIENT_FRAME);
        let mut batch = Batch::new(received, Some(self.upstream));
        loop {
            let frame = match framing.receive(batch.rest()) {
                Ok(Received::Incomplete { .. }) => break,
                Ok(Received::Frame(frame)) => frame,
                Err(error) => {
                    batch.stop = Some(Stop::Fault(error.into()));
                    break;
                }
            };
            let zlib = &mut context.zlib;
            let passage = self.session.receive_from_client(now, &frame, zlib);
            if !batch.pass(&frame, passage, net) {
                break;
            }
        }
        batch.send(net);
        context.metrics.minecraft_relayed_in.add(batch.passed);
        (batch.at, batch.stop)
    }
}

/// Frames that lie side by side, to be passed on with one copy.
struct Batch<'b> {
    received: &'b [u8],
    to: Option<ConnectionId>,
    /// Until here all was sent, or is not to be.
    sent: usize,
    /// Until here all was looked at.
    at: usize,
    passed: u64,
    stop: Option<Stop>,
}

impl<'b> Batch<'b> {
    fn new(received: &'b [u8], to: Option<ConnectionId>) -> Self {
        Self {
            received,
            to,
            sent: 0,
            at: 0,
            passed: 0,
            stop: None,
        }
    }

    fn rest(&self) -> &'b [u8] {
        self.received.get(self.at..).unwrap_or_default()
    }

    /// Does with a frame what its session says; whether there may be more.
    fn pass(
        &mut self,
        frame: &Frame<'_>,
        passage: Result<Passage, Fault>,
        net: &mut Connections,
    ) -> bool {
        let end = self.at + frame.bytes.len();
        if let Ok(Passage::Forward) = passage {
            self.at = end;
            self.passed += 1;
            return true;
        }
        self.send(net);
        (self.at, self.sent) = (end, end);
        match passage {
            Ok(Passage::Forward | Passage::Keep) => {}
            Ok(Passage::LoseClient(loss)) => {
                self.to = None;
                self.stop = Some(Stop::Lost(loss));
            }
            Ok(Passage::Ended(reason)) => self.stop = Some(Stop::Over(reason)),
            Err(fault) => self.stop = Some(Stop::Fault(fault)),
        }
        // Without its player a session goes on.
        matches!(self.stop, None | Some(Stop::Lost(_)))
    }

    fn send(&mut self, net: &mut Connections) {
        let whole = self.received.get(self.sent..self.at).unwrap_or_default();
        if let Some(to) = self.to
            && !whole.is_empty()
        {
            // Whoever takes no more is closed, and told to be.
            let _ = net.send(to, whole);
        }
        self.sent = self.at;
    }
}

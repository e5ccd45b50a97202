//! A few pages over HTTP/1.1 for those who watch a server: GET and HEAD, no bodies, no state.
//!
//! | page | says |
//! |---|---|
//! | `/health` | `ok`, as long as the loop turns |
//! | `/metrics` | everything the server counts, in Prometheus's text format |
//!
//! Requests may come one behind another; each is answered in full before the next is read, and a
//! client that does not read its answers is not read from.

mod exposition;
pub mod fuzz;
mod request;

pub use exposition::{Exposition, Gauge};

use crate::{
    net::{
        Sniff,
        tcp::{ConnectionId, Connections, Origin, TcpService},
    },
    timer::Time,
};
use request::{Method, Refusal, Request};
use std::{
    fmt,
    io::{self, Write},
    sync::Arc,
    time::Duration,
};

/// How long a request may take from its first byte to the end of its head.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a connection may stay without a request.
const KEEP_ALIVE: Duration = Duration::from_secs(60);

const PLAIN: &str = "text/plain; charset=utf-8";
/// What Prometheus asks for (its text exposition format).
const METRICS: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The pages, on one event loop.
pub struct HttpService {
    exposition: Arc<Exposition>,
    on_shared_port: bool,
    /// Where answers are composed; kept, so that they cost no allocation.
    answer: Vec<u8>,
    body: Vec<u8>,
}

impl HttpService {
    /// Shows what `exposition` knows.
    pub fn new(exposition: Arc<Exposition>) -> Self {
        Self {
            exposition,
            on_shared_port: true,
            answer: Vec::new(),
            body: Vec::new(),
        }
    }

    /// Whether it takes connections of a port that it shares; if not, it has its own or none.
    #[must_use]
    pub fn on_shared_port(mut self, shared: bool) -> Self {
        self.on_shared_port = shared;
        self
    }

    /// Answers the request at the front of `bytes`; how long it was, or `None` if it is not all
    /// there or the connection is being closed.
    fn serve(
        &mut self,
        now: Time,
        id: ConnectionId,
        bytes: &[u8],
        net: &mut Connections,
    ) -> Option<usize> {
        let (status, request, len) = match Request::parse(bytes) {
            Ok(None) => return None,
            Ok(Some((request, len))) => (self.page(now, &request), Some(request), len),
            Err(refusal) => {
                self.say(refusal.text());
                (Status::Refused(refusal), None, 0)
            }
        };
        let keeps = request.as_ref().is_some_and(|request| request.keep_alive);
        let is_head = request.is_some_and(|request| request.method == Method::Head);
        // Cannot fail: the answer grows as it is written.
        let _ = self.compose(status, keeps, is_head);
        let sent = net.send(id, &self.answer);
        if !keeps || sent.is_err() {
            net.close(id);
            return None;
        }
        Some(len)
    }

    /// Writes the body that `request` asks for.
    fn page(&mut self, now: Time, request: &Request<'_>) -> Status {
        let metrics = match request.path {
            b"/health" => false,
            b"/metrics" => true,
            _ => {
                self.say("There is no such page; /health and /metrics are here.");
                return Status::NotFound;
            }
        };
        if request.method == Method::Other {
            self.say("Pages can be had by GET and HEAD only.");
            return Status::WrongMethod;
        }
        if request.has_body {
            self.say(Refusal::Body.text());
            return Status::Refused(Refusal::Body);
        }
        if !metrics {
            self.say("ok");
            return Status::Ok(PLAIN);
        }
        self.body.clear();
        // Cannot fail: the body grows as it is written.
        let _ = self.exposition.write(now, &mut self.body);
        Status::Ok(METRICS)
    }

    fn say(&mut self, line: &str) {
        self.body.clear();
        self.body.extend_from_slice(line.as_bytes());
        self.body.push(b'\n');
    }

    fn compose(&mut self, status: Status, keeps: bool, is_head: bool) -> io::Result<()> {
        let (code, kind) = match status {
            Status::Ok(kind) => ("200 OK", kind),
            Status::NotFound => ("404 Not Found", PLAIN),
            Status::WrongMethod => ("405 Method Not Allowed", PLAIN),
            Status::Refused(refusal) => (refusal.status(), PLAIN),
        };
        let answer = &mut self.answer;
        answer.clear();
        write!(answer, "HTTP/1.1 {code}\r\nContent-Type: {kind}\r\n")?;
        write!(answer, "Content-Length: {}\r\n", self.body.len())?;
        write!(answer, "Cache-Control: no-store\r\n")?;
        if let Status::WrongMethod = status {
            write!(answer, "Allow: GET, HEAD\r\n")?;
        }
        let connection = if keeps { "keep-alive" } else { "close" };
        write!(answer, "Connection: {connection}\r\n\r\n")?;
        if !is_head {
            answer.extend_from_slice(&self.body);
        }
        Ok(())
    }
}

/// What an answer begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    /// A page of this type.
    Ok(&'static str),
    NotFound,
    WrongMethod,
    Refused(Refusal),
}

impl TcpService for HttpService {
    fn name(&self) -> &'static str {
        "http"
    }

    fn sniff(&self, first: &[u8]) -> Sniff {
        match self.on_shared_port {
            true => Sniff::prefix(first, request::VERBS),
            false => Sniff::No,
        }
    }

    fn opened(&mut self, now: Time, id: ConnectionId, _: Origin, net: &mut Connections) {
        net.feed(id, id);
        net.admit(id);
        net.set_idle_timeout(id, Some(KEEP_ALIVE));
        net.set_timer(id, Some(now + HEAD_TIMEOUT));
    }

    fn received(
        &mut self,
        now: Time,
        id: ConnectionId,
        bytes: &mut [u8],
        net: &mut Connections,
    ) -> usize {
        let mut consumed = 0;
        while !net.is_congested(id)
            && let Some(rest) = bytes.get(consumed..)
            && !rest.is_empty()
        {
            match self.serve(now, id, rest, net) {
                Some(len) => consumed += len,
                None => {
                    // The head that has begun runs out of time even if bytes trickle in.
                    if net.timer(id).is_none() {
                        net.set_timer(id, Some(now + HEAD_TIMEOUT));
                    }
                    return consumed;
                }
            }
            net.set_timer(id, None);
        }
        consumed
    }

    fn expired(&mut self, _: Time, id: ConnectionId, net: &mut Connections) {
        self.say(Refusal::TooSlow.text());
        // Cannot fail: the answer grows as it is written.
        let _ = self.compose(Status::Refused(Refusal::TooSlow), false, false);
        // Whoever is gone already needs no answer.
        let _ = net.send(id, &self.answer);
        net.close(id);
    }
}

impl fmt::Debug for HttpService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpService").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;

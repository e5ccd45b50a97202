//! A few pages over HTTP/1.1 for those who watch a server: GET and HEAD, no bodies, no state.
//!
//! | page | says |
//! |---|---|
//! | `/` | the lobby, for a browser: a page that asks for `/status.json` every five seconds |
//! | `/health` | `ok`, as long as the loop turns |
//! | `/metrics` | everything the server counts, in Prometheus's text format |
//! | `/status.json` | who is in the lobby and which rooms are open, without addresses |
//!
//! The lobby is on another thread than most loops: the first who asks in a second waits until it
//! has had a turn, and all who ask in that second see the same.
//!
//! Requests may come one behind another; each is answered in full before the next is read, and a
//! client that does not read its answers is not read from.

mod exposition;
pub mod fuzz;
mod request;
mod status;

pub use exposition::{Exposition, Gauge};
pub use status::Status;

use crate::{
    lobby::Snapshot,
    net::{
        Sniff,
        tcp::{ConnectionId, Connections, Ending, Origin, TcpService},
    },
    timer::Time,
};
use request::{Method, Refusal, Request};
use std::{
    collections::HashMap,
    fmt,
    io::{self, Write},
    net::SocketAddr,
    sync::Arc,
    time::Duration,
};

/// How long a request may take from its first byte to the end of its head.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a connection may stay without a request.
const KEEP_ALIVE: Duration = Duration::from_secs(60);

/// How often the lobby is looked at by who waits for it.
const LOOK: Duration = Duration::from_millis(2);

/// How long it is waited for.
const PATIENCE: Duration = Duration::from_secs(2);

const PLAIN: &str = "text/plain; charset=utf-8";
/// What Prometheus asks for (its text exposition format).
const METRICS: &str = "text/plain; version=0.0.4; charset=utf-8";
const JSON: &str = "application/json";
const HTML: &str = "text/html; charset=utf-8";

/// The lobby for a browser. What users chose reaches it through `/status.json` alone.
const LOBBY: &[u8] = include_bytes!("lobby.html");

/// What that page may do: run what it brings, ask this server, and stand in nobody's frame.
const LOBBY_POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; \
    style-src 'unsafe-inline'; connect-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'";

/// The pages, on one event loop.
pub struct HttpService {
    exposition: Arc<Exposition>,
    status: Option<Arc<Status>>,
    on_shared_port: bool,
    /// A port of ours where others than this machine's see no figures.
    guarded_port: Option<u16>,
    /// The lobby that was shown last, and the page that shows it.
    shown: Option<Arc<Snapshot>>,
    shown_page: Vec<u8>,
    /// Who waits for the lobby, and since when.
    waiting: HashMap<ConnectionId, Time>,
    /// Where answers are composed; kept, so that they cost no allocation.
    answer: Vec<u8>,
    body: Vec<u8>,
}

impl HttpService {
    /// Shows what `exposition` knows.
    pub fn new(exposition: Arc<Exposition>) -> Self {
        Self {
            exposition,
            status: None,
            on_shared_port: true,
            guarded_port: None,
            shown: None,
            shown_page: Vec::new(),
            waiting: HashMap::new(),
            answer: Vec::new(),
            body: Vec::new(),
        }
    }

    /// Shows the lobby, too.
    #[must_use]
    pub fn with_status(mut self, status: Arc<Status>) -> Self {
        self.status = Some(status);
        self
    }

    /// Whether it takes connections of a port that it shares; if not, it has its own or none.
    #[must_use]
    pub fn on_shared_port(mut self, shared: bool) -> Self {
        self.on_shared_port = shared;
        self
    }

    /// Shows `/metrics` on `port` to callers from this machine alone.
    #[must_use]
    pub fn with_metrics_guarded(mut self, port: Option<u16>) -> Self {
        self.guarded_port = port;
        self
    }

    /// Answers the request at the front of `bytes`; how long it was, or `None` if it is not all
    /// there, has to wait for the lobby, or the connection is being closed.
    fn serve(
        &mut self,
        now: Time,
        id: ConnectionId,
        bytes: &[u8],
        net: &mut Connections,
    ) -> Option<usize> {
        let (status, request, len) = match Request::parse(bytes) {
            Ok(None) => return None,
            Ok(Some((request, len))) => match self.page(now, id, &request, net) {
                Some(status) => (status, Some(request), len),
                None => {
                    net.pause(id);
                    net.set_timer(id, Some(now + LOOK));
                    return None;
                }
            },
            Err(refusal) => {
                self.say(refusal.text());
                (Verdict::Refused(refusal), None, 0)
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

    /// Writes the body that `request` asks for; `None` if it has to wait.
    fn page(
        &mut self,
        now: Time,
        id: ConnectionId,
        request: &Request<'_>,
        net: &Connections,
    ) -> Option<Verdict> {
        let page = match request.path {
            b"/" if self.status.is_some() => Page::Lobby,
            b"/health" => Page::Health,
            b"/metrics" if is_guarded(self.guarded_port, net.local(id), net.peer(id)) => {
                self.say("Figures are shown to this machine only; see http.metrics_to_all.");
                return Some(Verdict::Forbidden);
            }
            b"/metrics" => Page::Metrics,
            b"/status.json" if self.status.is_some() => Page::Status,
            _ => {
                self.say("There is no such page; /, /health, /metrics and /status.json are here.");
                return Some(Verdict::NotFound);
            }
        };
        if request.method == Method::Other {
            self.say("Pages can be had by GET and HEAD only.");
            return Some(Verdict::WrongMethod);
        }
        if request.has_body {
            self.say(Refusal::Body.text());
            return Some(Verdict::Refused(Refusal::Body));
        }
        match page {
            Page::Lobby => {
                self.body.clear();
                self.body.extend_from_slice(LOBBY);
                Some(Verdict::Ok(HTML))
            }
            Page::Health => {
                self.say("ok");
                Some(Verdict::Ok(PLAIN))
            }
            Page::Metrics => {
                self.body.clear();
                // Cannot fail: the body grows as it is written.
                let _ = self.exposition.write(now, &mut self.body);
                Some(Verdict::Ok(METRICS))
            }
            Page::Status => self.lobby(now, id),
        }
    }

    /// Writes what the lobby shows, if it has had its turn.
    fn lobby(&mut self, now: Time, id: ConnectionId) -> Option<Verdict> {
        let status = self.status.as_ref()?;
        match status.look(now) {
            Some(lobby) => {
                let same = self
                    .shown
                    .as_ref()
                    .is_some_and(|it| Arc::ptr_eq(it, &lobby));
                if !same {
                    // Cannot fail: the page grows as it is written.
                    let _ = status.write(&lobby, &mut self.shown_page);
                    self.shown = Some(lobby);
                }
                self.body.clone_from(&self.shown_page);
            }
            None => {
                let since = *self.waiting.entry(id).or_insert(now);
                if now.since(since) < PATIENCE {
                    return None;
                }
                self.waiting.remove(&id);
                self.say("The lobby is too busy to be shown; ask again.");
                return Some(Verdict::Unavailable);
            }
        }
        self.waiting.remove(&id);
        Some(Verdict::Ok(JSON))
    }

    fn say(&mut self, line: &str) {
        self.body.clear();
        self.body.extend_from_slice(line.as_bytes());
        self.body.push(b'\n');
    }

    fn compose(&mut self, status: Verdict, keeps: bool, is_head: bool) -> io::Result<()> {
        let (code, kind) = match status {
            Verdict::Ok(kind) => ("200 OK", kind),
            Verdict::Forbidden => ("403 Forbidden", PLAIN),
            Verdict::NotFound => ("404 Not Found", PLAIN),
            Verdict::WrongMethod => ("405 Method Not Allowed", PLAIN),
            Verdict::Unavailable => ("503 Service Unavailable", PLAIN),
            Verdict::Refused(refusal) => (refusal.status(), PLAIN),
        };
        let answer = &mut self.answer;
        answer.clear();
        write!(answer, "HTTP/1.1 {code}\r\nContent-Type: {kind}\r\n")?;
        write!(answer, "Content-Length: {}\r\n", self.body.len())?;
        write!(answer, "Cache-Control: no-store\r\n")?;
        match status {
            Verdict::Ok(HTML) => {
                write!(answer, "Content-Security-Policy: {LOBBY_POLICY}\r\n")?;
                write!(answer, "X-Content-Type-Options: nosniff\r\n")?;
            }
            Verdict::WrongMethod => write!(answer, "Allow: GET, HEAD\r\n")?,
            Verdict::Unavailable => write!(answer, "Retry-After: 1\r\n")?,
            Verdict::Ok(_) | Verdict::Forbidden | Verdict::NotFound | Verdict::Refused(_) => {}
        }
        let connection = if keeps { "keep-alive" } else { "close" };
        write!(answer, "Connection: {connection}\r\n\r\n")?;
        if !is_head {
            answer.extend_from_slice(&self.body);
        }
        Ok(())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Page {
    Lobby,
    Health,
    Metrics,
    Status,
}

/// What an answer begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    /// A page of this type.
    Ok(&'static str),
    Forbidden,
    NotFound,
    WrongMethod,
    Unavailable,
    Refused(Refusal),
}

/// Whether somebody may not see what is for this machine alone, on this port of ours.
fn is_guarded(port: Option<u16>, local: Option<SocketAddr>, peer: Option<SocketAddr>) -> bool {
    let Some(port) = port else {
        return false;
    };
    let is_there = local.is_none_or(|local| local.port() == port);
    let is_near = peer.is_some_and(|peer| peer.ip().to_canonical().is_loopback());
    is_there && !is_near
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
        if self.waiting.contains_key(&id) {
            net.resume(id);
            return;
        }
        self.say(Refusal::TooSlow.text());
        // Cannot fail: the answer grows as it is written.
        let _ = self.compose(Verdict::Refused(Refusal::TooSlow), false, false);
        // Whoever is gone already needs no answer.
        let _ = net.send(id, &self.answer);
        net.close(id);
    }

    fn closed(&mut self, _: Time, id: ConnectionId, _: Ending, _: &mut Connections) {
        self.waiting.remove(&id);
    }
}

impl fmt::Debug for HttpService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpService").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;

//! The session of one player: how it begins, who comes and goes, and how it ends.
//!
//! ```text
//!          login                  Login Success           upstream gone
//!   Over ---------> Joining --------------------> Live ----------------.
//!    ^                | refused, unreachable                           |
//!    |<---------------+<----------------------------------------------'
//!    |                v  with `reconnect`, once there was a session
//!    '------------- Waiting ---> Joining: after 10 s, then twice as long, up to 5 min
//! ```

use super::Context;
use crate::{
    buffer::Writer,
    metrics::Reason,
    minecraft::{
        Framing, Json, LoginName, component,
        idle::{ClientLoss, Fault, Passage, Session, UpstreamLogin},
        packets::play::clientbound::Disconnect,
    },
    net::tcp::{ConnectionId, Connections, Ending},
    timer::Time,
};
use std::time::Duration;

/// How long the upstream may take to answer a login.
const JOIN_WAIT: Duration = Duration::from_secs(20);

/// How long the upstream may say nothing before it is taken for gone.
const UPSTREAM_SILENCE: Duration = Duration::from_secs(30);

/// How long after a failure a login is told of it without another attempt.
const PAUSE: Duration = Duration::from_secs(2);

/// How long until a session is begun again by itself: at first, and at most.
const FIRST_DELAY: Duration = Duration::from_secs(10);
const LAST_DELAY: Duration = Duration::from_secs(300);

/// How long a session must have lived for the next delay to be the first again.
const STEADY: Duration = Duration::from_secs(60);

const ATTACHED: &str = "Another client is already attached to this session.";
const CROWDED: &str = "There are as many sessions as there may be.";
const GONE: &str = "The upstream server ended the connection.";
const SILENT: &str = "The upstream server said nothing for half a minute.";
const UNANSWERED: &str = "The upstream server did not answer the login within 20 seconds.";
const STOPPED: &str = "The server stops.";
const AWAY_TOO_LONG: &str = "The session ended, as its player was away for too long.";

/// What there is of one player.
#[derive(Debug)]
pub(super) struct Home {
    pub(super) name: LoginName,
    pub(super) stage: Stage,
    /// The player's connection, as long as it waits or plays.
    pub(super) client: Option<ConnectionId>,
    /// The start of a frame of the upstream that is longer than a block.
    pub(super) long: Vec<u8>,
    failure: Option<Failure>,
    /// Whether there was a session that the player has not been told to be over.
    keeps: bool,
    delay: Duration,
    away_since: Time,
    /// How much of what was not kept has been counted.
    counted: u64,
}

#[derive(Debug)]
pub(super) enum Stage {
    /// There is no session.
    Over,
    /// There will be one again.
    Waiting { until: Time },
    /// The upstream is being told who comes.
    Joining {
        upstream: ConnectionId,
        login: UpstreamLogin,
    },
    /// There is one.
    Live(Live),
}

#[derive(Debug)]
pub(super) struct Live {
    pub(super) upstream: ConnectionId,
    pub(super) session: Box<Session>,
    since: Time,
}

/// Why there is no session.
#[derive(Debug)]
struct Failure {
    at: Time,
    /// JSON.
    reason: String,
    is_told: bool,
}

/// Whether an end is one that another attempt could mend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mend {
    Maybe,
    Never,
}

impl Home {
    pub(super) fn new(name: LoginName) -> Self {
        Self {
            name,
            stage: Stage::Over,
            client: None,
            long: Vec::new(),
            failure: None,
            keeps: false,
            delay: FIRST_DELAY,
            away_since: Time::ZERO,
            counted: 0,
        }
    }

    /// The connection to the upstream.
    pub(super) fn upstream(&self) -> Option<ConnectionId> {
        match &self.stage {
            Stage::Joining { upstream, .. } => Some(*upstream),
            Stage::Live(live) => Some(live.upstream),
            Stage::Over | Stage::Waiting { .. } => None,
        }
    }

    /// How the upstream's frames look at this moment.
    pub(super) fn framing(&self) -> Option<Framing> {
        match &self.stage {
            Stage::Joining { login, .. } => Some(login.framing()),
            Stage::Live(live) => Some(live.session.framing()),
            Stage::Over | Stage::Waiting { .. } => None,
        }
    }

    /// When [`Home::retry`] is to be called.
    pub(super) fn next_attempt(&self) -> Option<Time> {
        match self.stage {
            Stage::Waiting { until } => Some(until),
            _ => None,
        }
    }

    /// The player is there and wants in.
    pub(super) fn arrive(
        &mut self,
        now: Time,
        id: ConnectionId,
        context: &mut Context,
        net: &mut Connections,
    ) {
        net.admit(id);
        // It is asked whether it is there, and may say nothing by itself.
        net.set_idle_timeout(id, None);
        if self.client.is_some() {
            context.turn_away(id, &component(ATTACHED), net);
            return;
        }
        match self.stage {
            Stage::Live(_) => {
                self.client = Some(id);
                self.attach(now, context, net);
            }
            Stage::Joining { .. } => self.client = Some(id),
            Stage::Over | Stage::Waiting { .. } => match self.news(now) {
                Some(reason) => context.turn_away(id, &reason, net),
                None => {
                    self.client = Some(id);
                    self.join(now, context, net);
                }
            },
        }
    }

    /// What the player has to know before anything is tried.
    fn news(&mut self, now: Time) -> Option<String> {
        let will_mend = matches!(self.stage, Stage::Waiting { .. });
        let failure = self.failure.as_mut()?;
        let is_old = failure.is_told || will_mend;
        failure.is_told = true;
        (!is_old || now < failure.at + PAUSE).then(|| failure.reason.clone())
    }

    /// It is time to begin a session again.
    pub(super) fn retry(&mut self, now: Time, context: &mut Context, net: &mut Connections) {
        if let Stage::Waiting { .. } = self.stage {
            self.join(now, context, net);
        }
    }

    fn join(&mut self, now: Time, context: &mut Context, net: &mut Connections) {
        let Some(idle) = &context.settings.idle else {
            return;
        };
        if !context.crossing.begin(idle.sessions) {
            self.fail(now, component(CROWDED), Mend::Maybe, context, net);
            return;
        }
        let mut hello = [0; 512];
        let mut writer = Writer::new(&mut hello);
        let port = idle.address.port();
        let login = UpstreamLogin::begin(&idle.host, port, self.name, &mut writer);
        let joined = net.connect(idle.address, None).and_then(|upstream| {
            let login = login.map_err(|_| std::io::ErrorKind::InvalidInput)?;
            // If it cannot be sent, the connection ends and is told to have.
            let _ = net.send(upstream, writer.written());
            net.set_timer(upstream, Some(now + JOIN_WAIT));
            Ok(Stage::Joining { upstream, login })
        });
        match joined {
            Ok(stage) => self.stage = stage,
            Err(error) => {
                context.crossing.end();
                self.fail(now, unreachable(error.kind()), Mend::Maybe, context, net);
            }
        }
    }

    /// The upstream has let the player in.
    pub(super) fn welcome(
        &mut self,
        now: Time,
        upstream: ConnectionId,
        session: Session,
        context: &mut Context,
        net: &mut Connections,
    ) {
        net.set_idle_timeout(upstream, Some(UPSTREAM_SILENCE));
        log::info!("minecraft: {} has a session", self.name);
        context.metrics.minecraft_sessions_begun.add(1);
        (self.failure, self.keeps, self.counted) = (None, true, 0);
        self.away_since = now;
        self.stage = Stage::Live(Live {
            upstream,
            session: Box::new(session),
            since: now,
        });
        self.attach(now, context, net);
    }

    /// Gives the player that is there, if it is, the world.
    fn attach(&mut self, now: Time, context: &mut Context, net: &mut Connections) {
        let Stage::Live(live) = &mut self.stage else {
            return;
        };
        if let Some(client) = self.client {
            live.session.attach(now, &mut context.zlib);
            net.feed(client, live.upstream);
            net.resume(client);
            log::info!("minecraft: {} is there", self.name);
            context.metrics.minecraft_attached.add(1);
            live.pump(client, net);
        }
        live.arm(net);
    }

    /// The player's connection is gone, or has no more to say.
    pub(super) fn leave(&mut self, now: Time, context: &mut Context, net: &mut Connections) {
        match &mut self.stage {
            Stage::Joining { upstream, .. } => {
                self.client = None;
                if !self.keeps {
                    let upstream = *upstream;
                    self.stage = Stage::Over;
                    self.long = Vec::new();
                    context.crossing.end();
                    net.abort(upstream);
                }
            }
            Stage::Live(live) => {
                let mut writer = Writer::new(&mut context.answers);
                let session = &mut live.session;
                if session.detach(now, &mut context.zlib, &mut writer).is_err() {
                    log::error!("minecraft: {} has left too much undone", self.name);
                }
                let _ = net.send(live.upstream, writer.written());
                live.arm(net);
                self.left(now, context);
            }
            Stage::Over | Stage::Waiting { .. } => self.client = None,
        }
    }

    /// The session's player is away.
    fn left(&mut self, now: Time, context: &Context) {
        if self.client.take().is_some() {
            log::info!("minecraft: {} is away", self.name);
        }
        self.away_since = now;
        self.count(context);
    }

    /// The player is given up; its session knows.
    pub(super) fn lose(
        &mut self,
        now: Time,
        loss: ClientLoss,
        context: &Context,
        net: &mut Connections,
    ) {
        if let Some(client) = self.client {
            let reason = match loss {
                ClientLoss::TooSlow => Reason::SlowReader,
                ClientLoss::Silent => Reason::PongTimeout,
            };
            net.refuse(client, reason);
        }
        self.left(now, context);
    }

    /// A time has come at the upstream.
    pub(super) fn expired(&mut self, now: Time, context: &mut Context, net: &mut Connections) {
        match &mut self.stage {
            Stage::Joining { .. } => {
                self.fail(now, component(UNANSWERED), Mend::Maybe, context, net);
            }
            Stage::Live(live) => {
                let limit = context.settings.idle.as_ref().and_then(|it| it.away_limit);
                let is_over = |limit| now >= self.away_since + limit;
                if self.client.is_none() && limit.is_some_and(is_over) {
                    self.fail(now, component(AWAY_TOO_LONG), Mend::Never, context, net);
                    return;
                }
                let lost = live.expired(now, self.client, context, net);
                match lost {
                    Ok(None) => {}
                    Ok(Some(loss)) => self.lose(now, loss, context, net),
                    Err(fault) => {
                        let reason = component(&format!("The session cannot go on: {fault}."));
                        self.fail(now, reason, Mend::Maybe, context, net);
                    }
                }
            }
            Stage::Over | Stage::Waiting { .. } => {}
        }
    }

    /// The connection to the upstream is gone.
    pub(super) fn lost(
        &mut self,
        now: Time,
        ending: Ending,
        context: &mut Context,
        net: &mut Connections,
    ) {
        let reason = match ending {
            Ending::ConnectFailed(kind) => unreachable(kind),
            Ending::Idle => component(SILENT),
            _ => component(GONE),
        };
        self.fail(now, reason, Mend::Maybe, context, net);
    }

    /// The server stops.
    pub(super) fn stop(&mut self, now: Time, context: &mut Context, net: &mut Connections) {
        if self.upstream().is_some() {
            self.fail(now, component(STOPPED), Mend::Never, context, net);
        }
        self.stage = Stage::Over;
    }

    /// There is no session, or none any more. Whoever is there is told the reason, which is
    /// JSON; if nobody is, it is kept for whoever comes next.
    pub(super) fn fail(
        &mut self,
        now: Time,
        reason: String,
        mend: Mend,
        context: &mut Context,
        net: &mut Connections,
    ) {
        log::info!("minecraft: {} has no session: {reason}", self.name);
        self.count(context);
        context.metrics.minecraft_failures.add(1);
        let stage = std::mem::replace(&mut self.stage, Stage::Over);
        let mut is_told = false;
        let mut was_steady = false;
        match &stage {
            Stage::Live(live) => {
                was_steady = now >= live.since + STEADY;
                if let Some(client) = self.client.take() {
                    is_told = live.say_farewell(client, &reason, context, net);
                    net.close(client);
                }
                net.close(live.upstream);
                context.crossing.end();
            }
            Stage::Joining { upstream, .. } => {
                net.abort(*upstream);
                context.crossing.end();
            }
            Stage::Over | Stage::Waiting { .. } => {}
        }
        if let Some(client) = self.client.take() {
            is_told = true;
            context.turn_away(client, &reason, net);
        }
        self.long = Vec::new();
        self.failure = Some(Failure {
            at: now,
            reason,
            is_told,
        });
        if was_steady {
            self.delay = FIRST_DELAY;
        }
        let reconnect = context
            .settings
            .idle
            .as_ref()
            .is_some_and(|it| it.reconnect);
        self.keeps &= reconnect && mend == Mend::Maybe;
        if self.keeps {
            let until = now + self.delay;
            self.delay = LAST_DELAY.min(self.delay * 2);
            self.stage = Stage::Waiting { until };
        }
    }

    /// Counts what the session has not kept since it was last asked.
    fn count(&mut self, context: &Context) {
        if let Stage::Live(live) = &self.stage {
            let dropped = live.session.dropped();
            let all = dropped.columns + dropped.blocks + dropped.entities + dropped.values;
            let new = all.saturating_sub(self.counted);
            context.metrics.minecraft_not_kept.add(new);
            self.counted = all;
        }
    }
}

impl Live {
    /// Has the session's next time not missed.
    pub(super) fn arm(&self, net: &mut Connections) {
        net.set_timer(self.upstream, Some(self.session.next_timeout()));
    }

    /// Writes what the client has to get, as far as it takes it.
    pub(super) fn pump(&mut self, client: ConnectionId, net: &mut Connections) {
        let block = net.block();
        while self.session.is_held() && !net.is_congested(client) {
            let fill = |room: &mut [u8]| {
                let mut writer = Writer::new(room);
                self.session.write_client(&mut writer);
                writer.len()
            };
            // A client that takes no more is closed, and told to be.
            if net.write(client, block, fill).is_err() {
                return;
            }
        }
    }

    /// What is due; who is lost by it.
    fn expired(
        &mut self,
        now: Time,
        client: Option<ConnectionId>,
        context: &mut Context,
        net: &mut Connections,
    ) -> Result<Option<ClientLoss>, Fault> {
        let mut room = [0; 64];
        let mut to_client = Writer::new(&mut room);
        let mut to_upstream = Writer::new(&mut context.answers);
        let zlib = &mut context.zlib;
        let passage = self
            .session
            .expired(now, zlib, &mut to_upstream, &mut to_client)?;
        let _ = net.send(self.upstream, to_upstream.written());
        if let Some(client) = client {
            let _ = net.send(client, to_client.written());
        }
        self.arm(net);
        match passage {
            Passage::LoseClient(loss) => Ok(Some(loss)),
            _ => Ok(None),
        }
    }

    /// Tells a client that plays why it is over; whether it could be.
    fn say_farewell(
        &self,
        client: ConnectionId,
        reason: &str,
        context: &mut Context,
        net: &mut Connections,
    ) -> bool {
        if self.session.is_held() {
            return false;
        }
        let reason = Json::cut(reason);
        let framing = self.session.framing();
        let (mut writer, zlib) = context.writer();
        let written = zlib.write(framing, &Disconnect { reason }, &mut writer);
        written.is_ok() && net.send(client, writer.written()).is_ok()
    }
}

fn unreachable(kind: std::io::ErrorKind) -> String {
    component(&format!("The upstream server cannot be reached: {kind}."))
}

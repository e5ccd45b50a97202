//! What the server may put on the wire, whoever it talks to.

use crate::{
    network::{Datagram, Direction},
    rng::hash,
};
use samara::{
    kaillera::{
        Kind, MAX_DATAGRAM,
        bundle::{Bundle, RawMessage},
        connect::parse_reply,
        message::ServerMessage,
    },
    timer::Time,
};
use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    net::{IpAddr, SocketAddr},
    time::Duration,
};

/// New messages outside games (kaillera.md 2.6)...
const PACE: usize = 4;
/// ... in this time.
const PACE_INTERVAL: Duration = Duration::from_millis(20);
/// Bytes to an address that has not logged in, per byte from it.
const AMPLIFICATION: u64 = 3;
/// Messages whose content is remembered.
const REMEMBERED: usize = 64;

/// What the network saw of every address.
#[derive(Default)]
pub(crate) struct Audit {
    watches: BTreeMap<SocketAddr, Watch>,
    /// A datagram may wait inside the server, so its pace is not seen exactly.
    pub(crate) pace_is_blurred: bool,
    /// The server ran out of buffers: what it meant to send counts as lost on the way.
    pub(crate) may_skip: bool,
    /// Hosts that start and leave games faster than they can be told, so that what they are
    /// told does not say what they are in.
    pub(crate) garbled: BTreeSet<IpAddr>,
}

/// One address.
#[derive(Default)]
struct Watch {
    bytes_in: u64,
    bytes_out: u64,
    /// While logged in: what came since a datagram that may start the session over.
    anew: Option<u64>,
    logged_in: bool,
    in_game: bool,
    left_game: Option<Time>,
    id: Option<u16>,
    room: Option<u32>,
    player: Option<u8>,
    newest: Option<u16>,
    /// By number: that number and its message's hash.
    contents: Vec<(u16, u64)>,
    paced: VecDeque<Time>,
}

/// What an outgoing datagram means for the client it goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Finding {
    /// A session begins; if the client has one, the server has given that up.
    NewSession,
    /// The session is over, and this says so.
    Farewell,
    /// The server has skipped messages.
    Skipped,
}

impl Audit {
    /// A datagram reaches the server.
    pub(crate) fn arrives(&mut self, datagram: &Datagram) {
        let watch = self.watches.entry(datagram.from).or_default();
        let bytes = datagram.bytes.len() as u64;
        if !watch.logged_in {
            watch.bytes_in += bytes;
        } else if let Some(anew) = &mut watch.anew {
            *anew += bytes;
        } else if is_login(&datagram.bytes) {
            watch.anew = Some(bytes);
        }
    }

    /// A datagram leaves the server.
    pub(crate) fn leaves(&mut self, now: Time, datagram: &Datagram, findings: &mut Vec<Finding>) {
        assert_eq!(datagram.direction(), Direction::ToClient);
        let (peer, bytes) = (datagram.to, &datagram.bytes);
        let watch = self.watches.entry(peer).or_default();
        let rules = Rules {
            now,
            peer,
            paced: !self.pace_is_blurred && !self.may_skip && !self.garbled.contains(&peer.ip()),
            may_skip: self.may_skip,
        };
        match parse_reply(bytes) {
            Some(_) => assert!(bytes.len() <= 15, "a connect answer to {peer} is too long"),
            None => watch.bundle(&rules, bytes, findings),
        }
        if !watch.logged_in {
            watch.bytes_out += bytes.len() as u64;
            assert!(
                watch.bytes_out <= AMPLIFICATION * watch.bytes_in,
                "{} bytes to {peer}, which sent {} and has not logged in",
                watch.bytes_out,
                watch.bytes_in,
            );
        }
    }
}

struct Rules {
    now: Time,
    peer: SocketAddr,
    paced: bool,
    may_skip: bool,
}

impl Watch {
    fn bundle(&mut self, rules: &Rules, bytes: &[u8], findings: &mut Vec<Finding>) {
        let peer = rules.peer;
        let bundle = Bundle::parse(bytes).expect("the server sends well-formed bundles");
        assert!(
            bytes.len() <= MAX_DATAGRAM || bundle.len() == 1,
            "{} bytes in one datagram to {peer}",
            bytes.len(),
        );
        let newest = bundle.newest().0;
        for (age, message) in bundle.newest_first().enumerate() {
            let expected = newest.wrapping_sub(age as u16);
            assert_eq!(message.number.0, expected, "numbers to {peer} in a row");
        }
        let first = bundle.newest_first().next().expect("no bundle is empty");
        if newest == 0 && first.kind == Kind::ServerAck as u8 && self.newest != Some(0) {
            self.begin();
            findings.push(Finding::NewSession);
        }
        for message in bundle.oldest_first() {
            self.message(rules, &message, findings);
        }
    }

    /// Numbering starts over.
    fn begin(&mut self) {
        *self = Self {
            bytes_in: self.bytes_in + self.anew.unwrap_or(0),
            bytes_out: self.bytes_out,
            contents: vec![(0, 0); REMEMBERED],
            ..Self::default()
        };
    }

    fn message(&mut self, rules: &Rules, message: &RawMessage<'_>, findings: &mut Vec<Finding>) {
        let peer = rules.peer;
        let number = message.number.0;
        let content = mix_kind(message);
        let place = usize::from(number) % REMEMBERED;
        let ahead = self
            .newest
            .map_or(i32::from(number) + 1, |newest| signed(number, newest));
        if ahead <= 0 {
            if let Some(&(known, hash)) = self.contents.get(place)
                && known == number
                && ahead > -(REMEMBERED as i32)
            {
                assert_eq!(hash, content, "message {number} to {peer} has changed");
            }
            return;
        }
        if ahead > 1 {
            assert!(
                rules.may_skip,
                "{} messages before {number} were never sent to {peer}",
                ahead - 1
            );
            findings.push(Finding::Skipped);
        }
        self.newest = Some(number);
        if let Some(known) = self.contents.get_mut(place) {
            *known = (number, content);
        }
        let message = ServerMessage::decode(message.kind, message.body)
            .expect("the server sends well-formed messages");
        let before_login = matches!(
            message,
            ServerMessage::ServerAck | ServerMessage::ConnectionRejected { .. }
        );
        // The lists that say so may be among what was skipped.
        self.logged_in |= rules.may_skip && !before_login;
        self.follow(rules.now, &message, findings);
        self.check_pace(rules, &message);
    }

    fn follow(&mut self, now: Time, message: &ServerMessage<'_>, findings: &mut Vec<Finding>) {
        match *message {
            ServerMessage::ServerStatus { .. } => self.logged_in = true,
            ServerMessage::UserJoined { id, .. } if self.id.is_none() => self.id = Some(id.0),
            ServerMessage::ConnectionRejected { .. } => findings.push(Finding::Farewell),
            ServerMessage::Quit { id, .. } if self.id == Some(id.0) => {
                findings.push(Finding::Farewell);
            }
            ServerMessage::StartGame { player, .. } => {
                self.player = Some(player);
                self.in_game = true;
            }
            ServerMessage::PlayerDrop { player, .. } if self.player == Some(player) => {
                self.leave_game(now);
            }
            ServerMessage::QuitGame { id, .. } if self.id == Some(id.0) => self.leave_game(now),
            ServerMessage::CloseGame { game } if self.room == Some(game.0) => {
                self.leave_game(now);
            }
            ServerMessage::JoinGame { id, game, .. } if self.id == Some(id.0) => {
                self.room = Some(game.0);
            }
            _ => {}
        }
    }

    fn leave_game(&mut self, now: Time) {
        if self.in_game {
            self.in_game = false;
            self.left_game = Some(now);
            self.paced.clear();
        }
    }

    fn check_pace(&mut self, rules: &Rules, message: &ServerMessage<'_>) {
        let now = rules.now;
        // A game's messages may come faster, and its last ones just have.
        let after_game = |left| now.since(left) < 2 * PACE_INTERVAL;
        let in_game = self.in_game || self.left_game.is_some_and(after_game);
        if !rules.paced || in_game || matches!(message, ServerMessage::ServerAck) {
            return;
        }
        while self
            .paced
            .front()
            .is_some_and(|&at| now.since(at) >= PACE_INTERVAL)
        {
            self.paced.pop_front();
        }
        self.paced.push_back(now);
        assert!(
            self.paced.len() <= PACE,
            "{} new messages to {} in 20 ms",
            self.paced.len(),
            rules.peer,
        );
    }
}

/// Whether a datagram can start a session, or start one over.
fn is_login(bytes: &[u8]) -> bool {
    let login = Kind::UserInformation as u8;
    Bundle::parse(bytes)
        .is_ok_and(|bundle| bundle.newest_first().any(|message| message.kind == login))
}

fn mix_kind(message: &RawMessage<'_>) -> u64 {
    hash(message.body) ^ u64::from(message.kind)
}

fn signed(number: u16, last: u16) -> i32 {
    i32::from(number.wrapping_sub(last) as i16)
}

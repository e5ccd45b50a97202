//! One client, and the server it has or will have.

use super::{Allowance, ClientEnd, Link};
use crate::{
    maple::{CharacterId, DecodeError, Direction, Iv},
    net::tcp::{ConnectionId, Connections},
    timer::Time,
};
use std::net::SocketAddr;

/// Everything about one client.
#[derive(Debug)]
pub(super) struct Pair {
    /// Its connection.
    pub(super) client: ConnectionId,
    pub(super) peer: SocketAddr,
    /// What the logs call it; never used again.
    pub(super) number: u64,
    pub(super) stage: Stage,
    /// Which character came in, if one did.
    pub(super) character: Option<CharacterId>,
    /// What it may still say; `None` is anything.
    pub(super) allowance: Option<Allowance>,
    /// Its packets go to the packet log.
    pub(super) is_logged: bool,
    /// It is on the list of those whose keystreams were used.
    pub(super) thirsty: bool,
    /// Until when it must have said what it wants; while it is set, it counts as undecided.
    pub(super) decide_by: Option<Time>,
    /// Until when it is not read from.
    pub(super) throttled_until: Option<Time>,
    /// Until when it must have gone where it was sent.
    pub(super) leave_by: Option<Time>,
}

/// How far a client has come.
#[derive(Debug)]
pub(super) enum Stage {
    /// It has been greeted and has not said what it wants.
    Undecided(ClientEnd),
    /// Its server is being connected to, or has not said hello.
    Attaching {
        end: ClientEnd,
        server: SocketAddr,
        upstream: ConnectionId,
    },
    /// It has a server.
    Joined {
        link: Box<Link>,
        server: SocketAddr,
        upstream: ConnectionId,
    },
    /// Both sides are being closed.
    Over,
}

impl Pair {
    pub(super) fn new(client: ConnectionId, peer: SocketAddr, number: u64, end: ClientEnd) -> Self {
        Self {
            client,
            peer,
            number,
            stage: Stage::Undecided(end),
            character: None,
            allowance: None,
            is_logged: false,
            thirsty: false,
            decide_by: None,
            throttled_until: None,
            leave_by: None,
        }
    }

    /// Bytes of the packet at the front of what one side sent, if it has a server and the packet
    /// is there whole, and the packet's IV.
    pub(super) fn front(
        &self,
        direction: Direction,
        received: &[u8],
    ) -> Result<Option<(usize, Iv)>, DecodeError> {
        match &self.stage {
            Stage::Joined { link, .. } => link.front(direction, received),
            _ => Ok(None),
        }
    }

    /// Has its next time not missed.
    pub(super) fn arm(&self, net: &mut Connections) {
        let times = [self.decide_by, self.throttled_until, self.leave_by];
        net.set_timer(self.client, times.into_iter().flatten().min());
    }

    /// Ends both sides in good order; the server's, which waits for it, at once.
    pub(super) fn end(&mut self, net: &mut Connections) {
        match self.stage {
            Stage::Attaching { upstream, .. } | Stage::Joined { upstream, .. } => {
                net.close(upstream);
            }
            Stage::Undecided(_) | Stage::Over => {}
        }
        self.stage = Stage::Over;
        net.close(self.client);
    }
}

/// Which of the two a connection is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Client,
    Server,
}

/// All pairs of a loop, found by either of their connections.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    /// By the place of a connection.
    places: Vec<Place>,
}

#[derive(Debug, Default)]
enum Place {
    #[default]
    Empty,
    /// A client's, with its pair; away while something is done with it.
    Client(ConnectionId, Option<Box<Pair>>),
    /// A server's, and whose server it is.
    Server(ConnectionId, ConnectionId),
}

impl Pairs {
    pub(super) fn insert(&mut self, pair: Pair) {
        let id = pair.client;
        self.set(id, Place::Client(id, Some(Box::new(pair))));
    }

    pub(super) fn note_upstream(&mut self, upstream: ConnectionId, client: ConnectionId) {
        self.set(upstream, Place::Server(upstream, client));
    }

    /// The pair that a connection belongs to, to be put back.
    pub(super) fn take(&mut self, id: ConnectionId) -> Option<(Box<Pair>, Side)> {
        let (client, side) = match self.places.get(id.index as usize)? {
            Place::Client(client, _) if *client == id => (id, Side::Client),
            Place::Server(server, client) if *server == id => (*client, Side::Server),
            _ => return None,
        };
        match self.places.get_mut(client.index as usize)? {
            Place::Client(id, pair) if *id == client => Some((pair.take()?, side)),
            _ => None,
        }
    }

    pub(super) fn put_back(&mut self, pair: Box<Pair>) {
        if let Some(Place::Client(id, place)) = self.places.get_mut(pair.client.index as usize)
            && *id == pair.client
        {
            *place = Some(pair);
        }
    }

    pub(super) fn client_mut(&mut self, client: ConnectionId) -> Option<&mut Pair> {
        match self.places.get_mut(client.index as usize)? {
            Place::Client(id, pair) if *id == client => pair.as_deref_mut(),
            _ => None,
        }
    }

    /// The connection at this place is gone.
    pub(super) fn forget(&mut self, id: ConnectionId) {
        self.set(id, Place::Empty);
    }

    fn set(&mut self, id: ConnectionId, place: Place) {
        let index = id.index as usize;
        if self.places.len() <= index {
            self.places.resize_with(index + 1, Place::default);
        }
        if let Some(old) = self.places.get_mut(index) {
            *old = place;
        }
    }
}

//! One thread's way to the others.

use super::{
    exchange::{Exchange, OUTLET, TURN},
    mail::{GameMail, LobbyMail, Peer, UserMail},
};
use crate::{
    actor::ActorId, buffer::Frame, lobby::UserKey, metrics::Reason, net::sys::Transmit, timer::Time,
};
use std::{
    cell::{Cell, RefCell},
    net::SocketAddr,
    sync::Arc,
    thread,
    time::Duration,
};

/// How long an errand waits before it looks again whether the lobby takes its answer.
const PAUSE: Duration = Duration::from_millis(20);

/// One thread's way to the others. Remembers whom to wake until the turn is over.
#[derive(Debug)]
pub(super) struct Post {
    exchange: Arc<Exchange>,
    workers: Cell<u64>,
    loops: Cell<u64>,
    /// The loop whose thread this is, if it is one's, and what goes out through it.
    own_loop: Option<usize>,
    own_transmits: RefCell<Vec<(u8, Transmit)>>,
}

impl Post {
    pub(super) fn new(exchange: Arc<Exchange>) -> Self {
        Self {
            exchange,
            workers: Cell::new(0),
            loops: Cell::new(0),
            own_loop: None,
            own_transmits: RefCell::default(),
        }
    }

    /// The post of actors that run on a loop's own thread: what leaves through that loop need
    /// not pass through its outlet.
    pub(super) fn of_loop(exchange: Arc<Exchange>, index: usize) -> Self {
        Self {
            own_loop: Some(index),
            own_transmits: RefCell::new(Vec::with_capacity(TURN)),
            ..Self::new(exchange)
        }
    }

    /// Takes the datagrams that leave through the thread's own loop.
    pub(super) fn take_own_transmits(&self, mut each: impl FnMut(u8, Transmit)) {
        for (socket, transmit) in self.own_transmits.borrow_mut().drain(..) {
            each(socket, transmit);
        }
    }

    pub(super) fn exchange(&self) -> &Arc<Exchange> {
        &self.exchange
    }

    /// A message to a user from its own peer: refused when it has enough of them.
    pub(super) fn offer_user(&self, seat: u32, mail: UserMail) -> Result<(), UserMail> {
        match self.exchange.seat(seat) {
            Some(place) => place.inbox.offer(mail)?,
            None => return Err(mail),
        }
        self.schedule_user(seat);
        Ok(())
    }

    /// A message to a user from within the server; given back when its inbox is full.
    pub(super) fn user(&self, seat: u32, mail: UserMail) -> Result<(), UserMail> {
        match self.exchange.seat(seat) {
            Some(place) => place.inbox.push(mail)?,
            None => return Err(mail),
        }
        self.schedule_user(seat);
        Ok(())
    }

    /// A message from the lobby for the user's client, behind those that wait.
    pub(super) fn notice(&self, to: UserKey, message: &[u8], now: Time) {
        let Some(place) = self.exchange.seat(to.seat) else {
            return;
        };
        match place.append(to.generation, message) {
            Ok(true) => self.schedule_user(to.seat),
            Ok(false) => {}
            Err(_) => self.exchange.count_drop(Reason::BacklogFull, None, now),
        }
    }

    /// A message to a game; given back when its inbox is full.
    pub(super) fn game(&self, game: u32, mail: GameMail) -> Result<(), GameMail> {
        match self.exchange.game_inbox(game) {
            Some(inbox) => inbox.push(mail)?,
            None => return Err(mail),
        }
        let worker = self.exchange.layout.worker_of_game(game);
        self.schedule(worker, self.exchange.layout.game(game));
        Ok(())
    }

    /// A message to the lobby; given back when its inbox is full.
    pub(super) fn lobby(&self, mail: LobbyMail) -> Result<(), LobbyMail> {
        self.exchange.lobby_inbox().push(mail)?;
        self.schedule(0, ActorId(0));
        Ok(())
    }

    /// Gives the lobby a turn without mail.
    pub(super) fn call_lobby(&self) {
        self.schedule(0, ActorId(0));
    }

    /// A datagram to a session's peer.
    pub(super) fn transmit(&self, seat: u32, peer: &Peer, frame: Frame, now: Time) {
        let index = self.exchange.layout.loop_of_seat(seat);
        let local = peer.local;
        let transmit = Transmit {
            peer: peer.address,
            local,
            frame,
        };
        let refused = if self.own_loop == Some(index) {
            let mut own = self.own_transmits.borrow_mut();
            let fits = own.len() < OUTLET;
            if fits {
                own.push((peer.socket, transmit));
            }
            !fits
        } else {
            mark(&self.loops, index);
            let outlet = self.exchange.outlet(index);
            outlet.is_some_and(|outlet| outlet.transmits.push((peer.socket, transmit)).is_err())
        };
        if refused {
            self.exchange
                .count_drop(Reason::SendQueueFull, Some(peer.address), now);
        }
    }

    /// A session is over: its loop forgets the address and frees the seat.
    pub(super) fn closed(&self, seat: u32, address: SocketAddr) {
        let index = self.exchange.layout.loop_of_seat(seat);
        let Some(outlet) = self.exchange.outlet(index) else {
            return;
        };
        outlet.closed.push((address, seat));
        mark(&self.loops, index);
    }

    /// Wakes whoever got something and sleeps.
    pub(super) fn ring(&self) {
        for index in ones(self.workers.take()) {
            if let Some(schedule) = self.exchange.schedules().get(index) {
                schedule.bell().ring();
            }
        }
        for index in ones(self.loops.take()) {
            if let Some(outlet) = self.exchange.outlet(index) {
                outlet.bell.ring();
            }
        }
    }

    fn schedule_user(&self, seat: u32) {
        let worker = self.exchange.layout.worker_of_seat(seat);
        self.schedule(worker, self.exchange.layout.user(seat));
    }

    fn schedule(&self, worker: usize, actor: ActorId) {
        if let Some(schedule) = self.exchange.schedules().get(worker) {
            schedule.add(actor);
            mark(&self.workers, worker);
        }
    }
}

/// Brings the lobby an answer from a thread that ends with its errand.
pub(super) fn deliver(exchange: &Arc<Exchange>, mut mail: LobbyMail) {
    let post = Post::new(exchange.clone());
    // A minute of a full inbox is a server that is no more.
    for _ in 0..3000 {
        match post.lobby(mail) {
            Ok(()) => break,
            Err(refused) => mail = refused,
        }
        thread::sleep(PAUSE);
    }
    post.ring();
}

fn mark(threads: &Cell<u64>, index: usize) {
    threads.set(threads.get() | 1 << index);
}

fn ones(mut mask: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let index = mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
        (index < 64).then_some(index as usize)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ones_of_a_mask() {
        assert_eq!(ones(0).count(), 0);
        assert_eq!(ones(0b1010_0001).collect::<Vec<_>>(), [0, 5, 7]);
        assert_eq!(ones(u64::MAX).count(), 64);
    }
}

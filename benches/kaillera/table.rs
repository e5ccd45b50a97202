//! A game on a service without sockets.

use crate::player::{Player, Told};
use samara::{
    buffer::FramePool,
    kaillera::message::{ClientMessage, ConnectionType},
    net::{Service, sys::Arrival},
    service::kaillera::{self, FRAME_SIZE, LoopPart, Settings},
    timer::Time,
};
use std::{net::SocketAddr, time::Duration};

/// Players in a running game, and the loop that serves them.
pub(crate) struct Table {
    service: LoopPart,
    frames: FramePool,
    now: Time,
    players: Vec<Player>,
    step: u32,
    /// Datagrams by player, frame after frame.
    prepared: Vec<(usize, Vec<u8>)>,
}

impl Table {
    pub(crate) fn start(players: usize) -> Self {
        let mut parts = kaillera::build(Settings::default(), 1, 0, &[27888]);
        let names = (0..players).map(|n| format!("player {n}"));
        let player = |name: String| Player::new(name.as_bytes(), ConnectionType::Lan);
        let mut table = Self {
            service: parts.loops.pop().unwrap(),
            frames: FramePool::new(64, FRAME_SIZE),
            now: Time::from_millis(1000),
            players: names.map(player).collect(),
            step: 0,
            prepared: Vec::new(),
        };
        table.gather();
        table
    }

    /// Makes the datagrams of the next frames; held inputs are in every cache.
    pub(crate) fn prepare(&mut self, frames: usize, held: bool) {
        for _ in 0..frames {
            self.step += u32::from(!held);
            for (index, player) in self.players.iter_mut().enumerate() {
                let input = (self.step << 3 | index as u32).to_le_bytes();
                let keep = |datagram: &[u8]| self.prepared.push((index, datagram.to_vec()));
                player.play(&input, keep).unwrap();
            }
        }
    }

    /// Plays what is prepared; says how many datagrams that brought.
    pub(crate) fn play(&mut self) -> usize {
        let mut sent = 0;
        let prepared = std::mem::take(&mut self.prepared);
        for frame in prepared.chunks(self.players.len()) {
            for (player, datagram) in frame {
                self.deliver(*player, datagram);
            }
            self.now += Duration::from_micros(100);
            self.service.turn(self.now);
            let queue = self.service.queue(0).unwrap();
            sent += queue.len();
            queue.clear();
        }
        self.prepared = prepared;
        self.prepared.clear();
        sent
    }

    fn deliver(&mut self, player: usize, datagram: &[u8]) {
        let mut frame = self.frames.try_take().unwrap();
        frame.copy_from(datagram).unwrap();
        let arrival = Arrival {
            peer: SocketAddr::from(([127, 0, 0, 1], 1000 + player as u16)),
            local: None,
        };
        self.service.datagram(self.now, 0, arrival, frame);
    }

    /// Everybody logs in, enters one room and gets ready.
    fn gather(&mut self) {
        for index in 0..self.players.len() {
            self.act(index, |player, keep| player.log_in(keep).unwrap());
        }
        let mut ready = 0;
        let mut inside = 0;
        for _ in 0..1000 {
            for (index, told) in self.settle() {
                match told {
                    News::LoggedIn if index == 0 => {
                        let message = ClientMessage::CreateGame { rom: b"bench" };
                        self.act(0, |player, keep| player.say(&message, keep).unwrap());
                    }
                    News::LoggedIn => {}
                    News::Opened(game) => {
                        for guest in 1..self.players.len() {
                            let message = ClientMessage::JoinGame { game };
                            self.act(guest, |player, keep| player.say(&message, keep).unwrap());
                        }
                    }
                    News::Entered => {
                        inside += 1;
                        if inside == self.players.len() {
                            let message = ClientMessage::StartGame;
                            self.act(0, |player, keep| player.say(&message, keep).unwrap());
                        }
                    }
                    News::Go => ready += 1,
                }
            }
            self.now += Duration::from_millis(5);
        }
        assert_eq!(ready, self.players.len(), "the game begins");
    }

    /// One turn of the service, and what the players make of it.
    fn settle(&mut self) -> Vec<(usize, News)> {
        self.service.turn(self.now);
        let queue = self.service.queue(0).unwrap();
        let transmits: Vec<_> = queue.drain(..).collect();
        let mut news = Vec::new();
        for transmit in transmits {
            let index = usize::from(transmit.peer.port() - 1000);
            self.act(index, |player, keep| {
                let note = |told: Told<'_>| news.extend(News::of(told).map(|it| (index, it)));
                player.receive(&transmit.frame, keep, note).unwrap();
            });
        }
        news
    }

    /// Lets a player say something, and delivers it.
    fn act(&mut self, index: usize, act: impl FnOnce(&mut Player, &mut dyn FnMut(&[u8]))) {
        let mut said = Vec::new();
        act(&mut self.players[index], &mut |datagram| {
            said.push(datagram.to_vec());
        });
        for datagram in said {
            self.deliver(index, &datagram);
        }
    }
}

/// What brings the game nearer.
enum News {
    LoggedIn,
    Opened(samara::kaillera::message::GameId),
    Entered,
    Go,
}

impl News {
    fn of(told: Told<'_>) -> Option<Self> {
        match told {
            Told::LoggedIn => Some(Self::LoggedIn),
            Told::Opened(game) => Some(Self::Opened(game)),
            Told::Entered => Some(Self::Entered),
            Told::Go => Some(Self::Go),
            _ => None,
        }
    }
}

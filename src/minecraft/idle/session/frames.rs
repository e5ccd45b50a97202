//! What becomes of the frames of either side.

use super::{MAX_TELEPORTS, Outgoing, Session, confirm};
use crate::{
    buffer::Writer,
    minecraft::{
        Content, DecodeError, Frame, Packet, VarInt, Zlib,
        idle::{
            ClientLoss, Fault, Passage,
            world::{CHUNK_HEAD, is_tracked},
        },
        packets::{
            id_of,
            play::{
                clientbound::{self, ChunkData, Clientbound},
                serverbound::{
                    ClientStatus, CloseWindow, ConfirmTransaction, KeepAlive, Serverbound,
                },
            },
        },
    },
    timer::Time,
};

/// Longest id of a packet.
const ID: usize = 5;

/// Longest packet of a client that says something here: its settings, with a locale of characters
/// of four bytes, and a byte more, so that longer ones are not taken for one.
const MAX_TRACKED: usize = 1 + 1 + 4 * 16 + 1 + 5 + 1 + 1 + 5 + 1;

impl Session {
    /// A frame from the server. Answers go to `to_upstream`.
    ///
    /// Fails if the session cannot go on.
    pub fn receive_from_upstream(
        &mut self,
        now: Time,
        frame: &Frame<'_>,
        zlib: &mut Zlib,
        to_upstream: &mut Writer<'_>,
    ) -> Result<Passage, Fault> {
        let front = zlib.front(frame.content, CHUNK_HEAD)?;
        let id = id_of(front).map_err(|_| Fault::Unexpected)?;
        if id == i32::from(clientbound::KeepAlive::ID) {
            let body = zlib.body(frame.content)?;
            let asked = clientbound::KeepAlive::decode(body).map_err(|_| Fault::Unexpected)?;
            let mut out = Outgoing::new(self.framing, zlib, to_upstream);
            out.send(&KeepAlive { id: asked.id })?;
            return Ok(Passage::Keep);
        }
        if id == i32::from(ChunkData::ID) {
            self.world.load_column(front, frame.bytes);
        } else if is_tracked(id) {
            let ended = self.track(frame.content, zlib, to_upstream)?;
            if let Some(reason) = ended {
                return Ok(Passage::Ended(reason));
            }
        }
        self.deliver(now, frame.bytes, zlib, to_upstream)
    }

    /// What becomes of a frame that is for the client.
    fn deliver(
        &mut self,
        now: Time,
        frame: &[u8],
        zlib: &mut Zlib,
        to_upstream: &mut Writer<'_>,
    ) -> Result<Passage, Fault> {
        let most = self.settings.limits.live_bytes;
        let Some(client) = &mut self.client else {
            return Ok(Passage::Keep);
        };
        if !client.waits {
            return Ok(Passage::Forward);
        }
        if client.replay.queue(frame, most).is_ok() {
            return Ok(Passage::Keep);
        }
        self.detach(now, zlib, to_upstream)?;
        Ok(Passage::LoseClient(ClientLoss::TooSlow))
    }

    /// Learns from a packet, and answers it if nobody else does. The reason of an end, if it is
    /// one.
    fn track(
        &mut self,
        content: Content<'_>,
        zlib: &mut Zlib,
        to_upstream: &mut Writer<'_>,
    ) -> Result<Option<String>, Fault> {
        let Ok(reply) = self.learn(zlib.body(content)?) else {
            self.world.dropped.unread += 1;
            return Ok(None);
        };
        let is_alone = self.client.is_none();
        let mut out = Outgoing::new(self.framing, zlib, to_upstream);
        match reply {
            Reply::Ended(reason) => return Ok(Some(reason)),
            Reply::Introduce if is_alone => self.introduce(&mut out)?,
            Reply::Teleport(id) if is_alone => confirm(&self.world, id, &mut out)?,
            Reply::Teleport(id) => {
                self.teleports.push_back(id);
                if self.teleports.len() > MAX_TELEPORTS {
                    self.teleports.pop_front();
                }
            }
            Reply::Agree(transaction) if is_alone => out.send(&transaction)?,
            Reply::Respawn if is_alone && !self.respawns => {
                self.respawns = true;
                out.send(&ClientStatus { action: VarInt(0) })?;
            }
            Reply::Close(window) if is_alone => {
                self.window = None;
                out.send(&CloseWindow { window })?;
            }
            _ => {}
        }
        Ok(None)
    }

    fn learn(&mut self, body: &[u8]) -> Result<Reply, DecodeError> {
        let packet = Clientbound::decode(body)?;
        self.world.apply(&packet, body);
        Ok(match packet {
            Clientbound::Disconnect(it) => Reply::Ended(it.reason.as_str().to_owned()),
            Clientbound::JoinGame(_) => Reply::Introduce,
            Clientbound::PositionLook(it) => Reply::Teleport(it.teleport_id.0),
            Clientbound::ConfirmTransaction(it) if !it.accepted => {
                Reply::Agree(ConfirmTransaction {
                    window: it.window,
                    action: it.action,
                    accepted: true,
                })
            }
            Clientbound::UpdateHealth(it) if it.health <= 0.0 => Reply::Respawn,
            Clientbound::UpdateHealth(_) => {
                self.respawns = false;
                Reply::Nothing
            }
            Clientbound::OpenWindow(it) => {
                self.window = Some(it.window);
                Reply::Close(it.window)
            }
            Clientbound::CloseWindow(_) => {
                self.window = None;
                Reply::Nothing
            }
            _ => Reply::Nothing,
        })
    }

    /// A frame from the client.
    ///
    /// Fails if the client's connection cannot go on.
    pub fn receive_from_client(
        &mut self,
        now: Time,
        frame: &Frame<'_>,
        zlib: &mut Zlib,
    ) -> Result<Passage, Fault> {
        let front = zlib.front(frame.content, ID)?;
        let Some(client) = &mut self.client else {
            return Ok(Passage::Keep);
        };
        let id = id_of(front).map_err(|_| Fault::Unexpected)?;
        if !is_own_tracked(id) {
            return Ok(Passage::Forward);
        }
        // A short stream may say that it is a long body: that is the server's to find out.
        let body = zlib.front(frame.content, MAX_TRACKED)?;
        let Ok(packet) = Serverbound::decode(body) else {
            self.world.dropped.unread += 1;
            return Ok(Passage::Forward);
        };
        match packet {
            Serverbound::KeepAlive(it) => {
                if client.asked == Some(it.id) {
                    client.asked = None;
                    client.last_answer = now;
                }
                return Ok(Passage::Keep);
            }
            Serverbound::TeleportConfirm(it) => return Ok(self.confirmed(it.teleport_id.0)),
            Serverbound::Player(_)
            | Serverbound::PlayerPosition(_)
            | Serverbound::PositionLook(_)
            | Serverbound::Look(_)
            | Serverbound::VehicleMove(_)
                if client.teleport.is_some() =>
            {
                return Ok(Passage::Keep);
            }
            _ => {}
        }
        self.world.apply_own(&packet);
        self.watch(&packet);
        Ok(Passage::Forward)
    }

    /// A server that did not ask for a teleport must not hear of it.
    fn confirmed(&mut self, id: i32) -> Passage {
        if let Some(client) = &mut self.client
            && client.teleport == Some(id)
        {
            client.teleport = None;
            return Passage::Keep;
        }
        match self.teleports.iter().position(|&open| open == id) {
            Some(at) => {
                self.teleports.drain(..=at);
                Passage::Forward
            }
            None => Passage::Keep,
        }
    }

    /// Remembers what has to be undone when the player goes.
    fn watch(&mut self, packet: &Serverbound<'_>) {
        match packet {
            Serverbound::Settings(_) => self.introduced = true,
            Serverbound::EntityAction(it) => match it.action.0 {
                0 => self.sneaks = true,
                1 => self.sneaks = false,
                3 => self.sprints = true,
                4 => self.sprints = false,
                _ => {}
            },
            Serverbound::Digging(it) => match it.status.0 {
                0 => self.digs = Some(*it),
                1 | 2 => self.digs = None,
                _ => {}
            },
            Serverbound::CloseWindow(_) => self.window = None,
            _ => {}
        }
    }
}

/// What the server gets to hear of a packet if nobody else answers it.
enum Reply {
    Nothing,
    Ended(String),
    Introduce,
    Teleport(i32),
    Agree(ConfirmTransaction),
    Respawn,
    Close(u8),
}

/// Whether a client's packet of this id says something here; the others are passed on unread.
fn is_own_tracked(id: i32) -> bool {
    matches!(
        id,
        0x00 | 0x04 | 0x08 | 0x0B..=0x10 | 0x13..=0x15 | 0x1A
    )
}

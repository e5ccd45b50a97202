//! A player's session: what of either side is passed on, and what is answered here.

use super::{
    ClientLoss, Dropped, Fault, Passage, Settings,
    replay::{Replay, Script},
    world::World,
};
use crate::{
    buffer::{Full, Writer},
    minecraft::{
        Framing, LoginName, MAX_FRAME, Packet, Rest, Text, Uuid, VarInt, Zlib,
        packets::{
            login::{LoginSuccess, SetCompression},
            play::{
                clientbound,
                serverbound::{
                    ClientStatus, CloseWindow, Digging, EntityAction, Look, Player, PlayerPosition,
                    PluginMessage, Settings as ClientSettings, SwingArm, TeleportConfirm,
                },
            },
        },
    },
    timer::Time,
};
use std::{collections::VecDeque, time::Duration};

mod frames;

/// The channel on which both sides say who made them.
pub(super) const BRAND: &str = "MC|Brand";

/// Where numbers of teleports begin that no server has asked for.
const FIRST_TELEPORT: i32 = 1 << 30;

/// How often a client is asked whether it is there, and how long it may take to say so.
const KEEP_ALIVE: Duration = Duration::from_secs(10);
const KEEP_ALIVE_WAIT: Duration = Duration::from_secs(30);

/// How often a server hears that the player stands still.
const STANDING: Duration = Duration::from_secs(1);

/// Longest frame that a client in a world may send.
pub const MAX_CLIENT_FRAME: usize = 64 << 10;

/// Unanswered teleports that are remembered.
const MAX_TELEPORTS: usize = 64;

/// A player's session at another server, with or without the player.
#[derive(Debug)]
pub struct Session {
    settings: Settings,
    framing: Framing,
    uuid: Uuid,
    name: LoginName,
    world: World,
    client: Option<Client>,
    /// Teleports that the server waits to hear of.
    teleports: VecDeque<i32>,
    next_teleport: i32,
    /// Whether the server knows the client's settings.
    introduced: bool,
    sneaks: bool,
    sprints: bool,
    digs: Option<Digging>,
    window: Option<u8>,
    /// Whether the respawn was asked for.
    respawns: bool,
    next_standing: Time,
    next_move: Time,
    moves: u32,
}

#[derive(Debug)]
struct Client {
    /// What it has to get before frames are passed on to it.
    replay: Replay,
    /// Whether it has not got all of that.
    waits: bool,
    /// Our teleport: until it is confirmed, what the client says of its place is not true.
    teleport: Option<i32>,
    next_keep_alive: Time,
    /// Keep-alive that is not answered.
    asked: Option<i64>,
    last_answer: Time,
}

impl Session {
    /// A session that begins, after [`super::Answer::Welcome`], with nobody attached.
    pub fn new(
        settings: Settings,
        uuid: Uuid,
        name: LoginName,
        framing: Framing,
        now: Time,
    ) -> Self {
        Self {
            settings,
            framing,
            uuid,
            name,
            world: World::new(uuid, settings.limits),
            client: None,
            teleports: VecDeque::new(),
            next_teleport: FIRST_TELEPORT,
            introduced: false,
            sneaks: false,
            sprints: false,
            digs: None,
            window: None,
            respawns: false,
            next_standing: now + STANDING,
            next_move: now + settings.anti_afk.map_or(STANDING, |it| it.interval),
            moves: 0,
        }
    }

    /// How frames look on both sides, in play.
    pub fn framing(&self) -> Framing {
        self.framing
    }

    /// Whether the player is there.
    pub fn is_attached(&self) -> bool {
        self.client.is_some()
    }

    /// What was not kept so far.
    pub fn dropped(&self) -> Dropped {
        self.world.dropped
    }

    /// Columns, bytes kept with them, and entities.
    pub fn size(&self) -> (usize, usize, usize) {
        self.world.size()
    }

    /// The player is there: its client waits for the answer to its login, and gets that and the
    /// world by [`Session::write_client`].
    pub fn attach(&mut self, now: Time, zlib: &mut Zlib) {
        let plain = Framing::new(MAX_FRAME);
        let mut script = Script::new(zlib, plain);
        if let Some(threshold) = self.framing.threshold() {
            let threshold = VarInt(i32::try_from(threshold).unwrap_or(i32::MAX));
            script.packet(&SetCompression { threshold });
        }
        script.set_framing(self.framing);
        script.packet(&LoginSuccess {
            uuid: self.uuid.text(&mut [0; Uuid::TEXT_LEN]),
            username: Text::cut(self.name.as_str()),
        });
        let mut teleport = None;
        if self.world.player.joined.is_some() {
            self.world.replay(self.next_teleport, &mut script);
            teleport = self.world.player.place.map(|_| self.next_teleport);
            self.next_teleport = self.next_teleport.checked_add(1).unwrap_or(FIRST_TELEPORT);
        }
        self.client = Some(Client {
            replay: script.finish(),
            waits: true,
            teleport,
            next_keep_alive: now + KEEP_ALIVE,
            asked: None,
            last_answer: now,
        });
    }

    /// The client takes no more for now, or not in one piece: what comes for it waits, up to
    /// [`super::Limits::live_bytes`], until [`Session::write_client`] has written it.
    pub fn hold(&mut self) {
        if let Some(client) = &mut self.client {
            client.waits = true;
        }
    }

    /// Whether the client has something to get by [`Session::write_client`].
    pub fn is_held(&self) -> bool {
        self.client.as_ref().is_some_and(|client| client.waits)
    }

    /// Appends what the client has to get before frames that are passed on; whether that was all.
    pub fn write_client(&mut self, writer: &mut Writer<'_>) -> bool {
        if let Some(client) = &mut self.client {
            client.waits = client.waits && !client.replay.write(writer);
        }
        !self.is_held()
    }

    /// The player is gone: tells the server what a player says who stands still.
    pub fn detach(
        &mut self,
        now: Time,
        zlib: &mut Zlib,
        to_upstream: &mut Writer<'_>,
    ) -> Result<(), Full> {
        if self.client.take().is_none() {
            return Ok(());
        }
        self.next_standing = now + STANDING;
        if let Some(anti_afk) = self.settings.anti_afk {
            self.next_move = now + anti_afk.interval;
        }
        let mut out = Outgoing::new(self.framing, zlib, to_upstream);
        while let Some(teleport_id) = self.teleports.pop_front() {
            confirm(&self.world, teleport_id, &mut out)?;
        }
        if let Some(entity_id) = self.world.player.entity_id() {
            for (on, action) in [(&mut self.sneaks, 1), (&mut self.sprints, 4)] {
                if std::mem::take(on) {
                    out.send(&EntityAction {
                        entity_id: VarInt(entity_id),
                        action: VarInt(action),
                        jump_boost: VarInt(0),
                    })?;
                }
            }
        }
        if let Some(digging) = self.digs.take() {
            let status = VarInt(1);
            out.send(&Digging { status, ..digging })?;
        }
        if let Some(window) = self.window.take() {
            out.send(&CloseWindow { window })?;
        }
        if self.world.player.is_dead() && !self.respawns {
            self.respawns = true;
            out.send(&ClientStatus { action: VarInt(0) })?;
        }
        self.introduce(&mut out)
    }

    /// When [`Session::expired`] is to be called.
    pub fn next_timeout(&self) -> Time {
        match &self.client {
            Some(client) => client
                .next_keep_alive
                .min(client.last_answer + KEEP_ALIVE_WAIT),
            None if self.settings.anti_afk.is_some() => self.next_standing.min(self.next_move),
            None => self.next_standing,
        }
    }

    /// Does what is due: asks the client whether it is there, or stands still for it.
    ///
    /// Fails if the session cannot go on.
    pub fn expired(
        &mut self,
        now: Time,
        zlib: &mut Zlib,
        to_upstream: &mut Writer<'_>,
        to_client: &mut Writer<'_>,
    ) -> Result<Passage, Fault> {
        let Some(client) = &mut self.client else {
            self.stand(now, zlib, to_upstream)?;
            return Ok(Passage::Keep);
        };
        if client.waits {
            // It is being told a lot, and cannot answer what is behind that.
            client.next_keep_alive = now + KEEP_ALIVE;
            client.last_answer = now;
            return Ok(Passage::Keep);
        }
        if client.asked.is_some() && now >= client.last_answer + KEEP_ALIVE_WAIT {
            self.detach(now, zlib, to_upstream)?;
            return Ok(Passage::LoseClient(ClientLoss::Silent));
        }
        if now < client.next_keep_alive {
            return Ok(Passage::Keep);
        }
        client.next_keep_alive = now + KEEP_ALIVE;
        if client.asked.is_some() {
            return Ok(Passage::Keep);
        }
        // Any number that the client has not seen: the time.
        let id = i64::try_from(now.as_nanos()).unwrap_or(i64::MAX);
        client.asked = Some(id);
        client.last_answer = now;
        zlib.write(self.framing, &clientbound::KeepAlive { id }, to_client)?;
        Ok(Passage::Keep)
    }

    /// What a player says who is away.
    fn stand(
        &mut self,
        now: Time,
        zlib: &mut Zlib,
        to_upstream: &mut Writer<'_>,
    ) -> Result<(), Full> {
        let mut out = Outgoing::new(self.framing, zlib, to_upstream);
        let player = &self.world.player;
        if now >= self.next_standing {
            self.next_standing = now + STANDING;
            if player.joined.is_some() {
                let on_ground = player.on_ground;
                out.send(&Player { on_ground })?;
            }
        }
        let (Some(anti_afk), Some(place)) = (self.settings.anti_afk, player.place) else {
            return Ok(());
        };
        if now < self.next_move {
            return Ok(());
        }
        self.next_move = now + anti_afk.interval;
        self.moves = self.moves.wrapping_add(1);
        out.send(&SwingArm { hand: VarInt(0) })?;
        let aside = if self.moves % 2 == 1 { 10.0 } else { 0.0 };
        let on_ground = player.on_ground;
        out.send(&Look {
            yaw: place.yaw + aside,
            pitch: place.pitch,
            on_ground,
        })?;
        if anti_afk.steps {
            for x in [place.x + 0.1, place.x] {
                out.send(&PlayerPosition {
                    x,
                    y: place.y,
                    z: place.z,
                    on_ground,
                })?;
            }
        }
        Ok(())
    }

    /// Tells a server that waits for it what a client says first.
    fn introduce(&mut self, out: &mut Outgoing<'_, '_>) -> Result<(), Full> {
        if self.introduced || self.world.player.joined.is_none() {
            return Ok(());
        }
        self.introduced = true;
        out.send(&ClientSettings {
            locale: Text::cut("en_us"),
            view_distance: self.settings.view_distance,
            chat_flags: VarInt(0),
            chat_colors: true,
            skin_parts: 0x7F,
            main_hand: VarInt(1),
        })?;
        out.send(&PluginMessage {
            channel: Text::cut(BRAND),
            data: Rest(b"\x07vanilla"),
        })
    }
}

fn confirm(world: &World, id: i32, out: &mut Outgoing<'_, '_>) -> Result<(), Full> {
    let teleport_id = VarInt(id);
    out.send(&TeleportConfirm { teleport_id })?;
    match world.player.place {
        Some(place) => out.send(&place.look()),
        None => Ok(()),
    }
}

/// Frames for one side.
struct Outgoing<'o, 'w> {
    framing: Framing,
    zlib: &'o mut Zlib,
    writer: &'o mut Writer<'w>,
}

impl<'o, 'w> Outgoing<'o, 'w> {
    fn new(framing: Framing, zlib: &'o mut Zlib, writer: &'o mut Writer<'w>) -> Self {
        Self {
            framing,
            zlib,
            writer,
        }
    }

    fn send<'a, P: Packet<'a>>(&mut self, packet: &P) -> Result<(), Full> {
        self.zlib.write(self.framing, packet, self.writer)
    }
}

#[cfg(test)]
mod tests;

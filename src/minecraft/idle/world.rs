//! What a client needs to know of a world that it comes back to (minecraft.md 11.5).

use super::{
    Dropped, Limits,
    boards::Boards,
    columns::{Chunk, ChunkHead, Columns},
    entities::Entities,
    player::{Joined, Player},
    replay::Script,
    roster::Roster,
};
use crate::{
    buffer::{BadValue, MAX_VAR_INT, Reader},
    minecraft::{
        Packet, Position, Uuid,
        packets::play::{
            clientbound::{self, Clientbound},
            serverbound::{Digging, Serverbound},
        },
    },
};

/// Bytes of Chunk Data's body that tell which column it is and which sections.
pub(super) const CHUNK_HEAD: usize = MAX_VAR_INT + 4 + 4 + 1 + MAX_VAR_INT;

const AIR: i32 = 0;
const CREATIVE: u8 = 1;

#[derive(Debug)]
pub(super) struct World {
    limits: Limits,
    own: Uuid,
    pub(super) player: Player,
    columns: Columns,
    entities: Entities,
    roster: Roster,
    boards: Boards,
    pub(super) dropped: Dropped,
}

impl World {
    /// A world of which nothing is known; `own` is the player's.
    pub(super) fn new(own: Uuid, limits: Limits) -> Self {
        Self {
            limits,
            own,
            player: Player::default(),
            columns: Columns::default(),
            entities: Entities::default(),
            roster: Roster::default(),
            boards: Boards::default(),
            dropped: Dropped::default(),
        }
    }

    /// Takes a column's frame, of whose body only the front is needed.
    pub(super) fn load_column(&mut self, front: &[u8], frame: &[u8]) {
        match head(front) {
            Ok(head) => {
                let center = self.center();
                self.columns
                    .load(head, frame, center, &self.limits, &mut self.dropped);
            }
            Err(_) => self.dropped.unread += 1,
        }
    }

    /// Takes what a server says.
    pub(super) fn apply(&mut self, packet: &Clientbound<'_>, body: &[u8]) {
        let (limits, dropped) = (&self.limits, &mut self.dropped);
        match packet {
            Clientbound::JoinGame(it) => {
                // Before the first one some servers send the list's header.
                if self.player.joined.is_some() {
                    let dropped = self.dropped;
                    *self = Self::new(self.own, self.limits);
                    self.dropped = dropped;
                }
                self.player.joined = Some(Joined::new(it));
            }
            Clientbound::Respawn(it) => {
                let level = it.level_type.as_str();
                let (dimension, difficulty) = (it.dimension, it.difficulty);
                if self
                    .player
                    .respawn(dimension, difficulty, it.game_mode, level)
                {
                    self.columns.clear();
                    self.entities.clear();
                }
            }
            Clientbound::UnloadChunk(it) => self.columns.unload(Chunk {
                x: it.chunk_x,
                z: it.chunk_z,
            }),
            Clientbound::BlockChange(it) => {
                self.columns
                    .set_block(it.location, it.state.0, limits, dropped);
            }
            Clientbound::MultiBlockChange(it) => self.columns.set_blocks(it, limits, dropped),
            Clientbound::Explosion(it) => self.columns.explode(it, limits, dropped),
            Clientbound::UpdateBlockEntity(it) => {
                let center = self.center();
                let (limits, dropped) = (&self.limits, &mut self.dropped);
                self.columns
                    .set_block_entity(it.location, body, center, limits, dropped);
            }
            Clientbound::PlayerList(it) => {
                let mode = self.roster.apply(it, self.own, limits, dropped);
                if let Some(mode) = mode {
                    self.player.set_game_mode(mode);
                }
            }
            _ => {
                let own = self.player.entity_id();
                self.player.apply(packet, body, limits, dropped);
                self.entities.apply(packet, body, own, limits, dropped);
                self.boards.apply(packet, limits, dropped);
            }
        }
    }

    /// Takes what the player's client says.
    pub(super) fn apply_own(&mut self, packet: &Serverbound<'_>) {
        match packet {
            Serverbound::Digging(it) => {
                let mode = self.player.joined.as_ref().map(|joined| joined.game_mode);
                if breaks(it, mode) {
                    self.set_block(it.location, AIR);
                }
            }
            Serverbound::VehicleMove(_) if !self.is_riding() => {}
            _ => self.player.apply_own(packet),
        }
    }

    fn set_block(&mut self, at: Position, state: i32) {
        self.columns
            .set_block(at, state, &self.limits, &mut self.dropped);
    }

    fn is_riding(&self) -> bool {
        let own = self.player.entity_id();
        own.is_some_and(|own| self.entities.carries(own))
    }

    /// Appends the world to a replay, in the order of minecraft.md 11.4; the position has the
    /// number `teleport`.
    pub(super) fn replay(&self, teleport: i32, script: &mut Script<'_>) {
        self.player.replay_join(script);
        self.roster.replay(script);
        self.player.replay_header(script);
        self.boards.replay(script);
        self.columns.replay(self.center(), script);
        self.entities.replay(script);
        if let Some(own) = self.player.entity_id() {
            self.entities.replay_own(own, script);
        }
        self.player.replay_self(teleport, script);
    }

    /// Columns and bytes of them, and entities.
    pub(super) fn size(&self) -> (usize, usize, usize) {
        let (columns, bytes) = self.columns.size();
        (columns, bytes, self.entities.len())
    }

    fn center(&self) -> Chunk {
        let (x, z) = self.player.place.map_or((0.0, 0.0), |at| (at.x, at.z));
        Chunk::of(x.floor() as i32, z.floor() as i32)
    }
}

/// Whether a packet of this id changes the world here; the others are passed on unread.
pub(super) fn is_tracked(id: i32) -> bool {
    use clientbound::*;
    macro_rules! is_one_of {
        ($($packet:ident)*) => {
            [$(<$packet as Packet<'_>>::ID),*]
        };
    }
    const TRACKED: &[u8] = &is_one_of!(
        SpawnObject SpawnOrb SpawnMob SpawnPainting SpawnPlayer UpdateBlockEntity BlockChange
        BossBar Difficulty MultiBlockChange ConfirmTransaction CloseWindow OpenWindow WindowItems
        SetSlot PluginMessage Disconnect Explosion UnloadChunk ChangeGameState JoinGame EntityMove
        EntityMoveLook EntityLook Abilities PlayerList PositionLook DestroyEntities
        RemoveEntityEffect Respawn HeadLook WorldBorder HeldItemChange DisplayScoreboard
        EntityMetadata AttachEntity EntityEquipment Experience UpdateHealth ScoreboardObjective
        SetPassengers Teams UpdateScore SpawnPosition TimeUpdate PlayerListHeader EntityTeleport
        EntityProperties EntityEffect
    );
    u8::try_from(id).is_ok_and(|id| TRACKED.contains(&id))
}

/// Whether a block is gone: some servers do not tell the one who dug it.
fn breaks(digging: &Digging, mode: Option<u8>) -> bool {
    match digging.status.0 {
        0 => mode == Some(CREATIVE),
        2 => true,
        _ => false,
    }
}

fn head(front: &[u8]) -> Result<ChunkHead, BadValue> {
    let mut reader = Reader::new(front);
    reader.var_int()?;
    Ok(ChunkHead {
        chunk: Chunk {
            x: reader.i32_be()?,
            z: reader.i32_be()?,
        },
        ground_up: reader.bool()?,
        sections: reader.var_int()?,
    })
}

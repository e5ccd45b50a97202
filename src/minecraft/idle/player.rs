//! The player: who it is in the world, where, and what it has.

use super::{Dropped, Kept, Limits, keep, put, recall, replay::Script};
use crate::{
    buffer::{Full, Writer},
    minecraft::{
        Slot, Text, VarInt,
        field::Field,
        packets::play::{
            clientbound::{
                Abilities, ChangeGameState, Clientbound, Difficulty, Experience, HeldItemChange,
                JoinGame, PositionLook, SetSlot, SpawnPosition, TimeUpdate, UpdateHealth,
            },
            serverbound::{self, Serverbound},
        },
    },
};
use std::collections::BTreeMap;

/// Window of the player's own inventory.
const INVENTORY: u8 = 0;

/// Set Slot's number for the inventory without animation.
const INVENTORY_SILENT: i8 = -2;

/// Highest number of a place in the inventory.
const LAST_SLOT: i16 = 45;

/// Added to the mode of a hardcore world.
const HARDCORE: u8 = 8;

#[derive(Debug, Default)]
pub(super) struct Player {
    pub(super) joined: Option<Joined>,
    pub(super) place: Option<Place>,
    pub(super) on_ground: bool,
    difficulty: Option<Difficulty>,
    abilities: Option<Abilities>,
    held: Option<HeldItemChange>,
    spawn: Option<SpawnPosition>,
    experience: Option<Experience>,
    health: Option<UpdateHealth>,
    time: Option<TimeUpdate>,
    brand: Option<Kept>,
    header: Option<Kept>,
    /// Whether it rains, how much, and how much it thunders.
    weather: [Option<ChangeGameState>; 3],
    /// Items by place.
    inventory: BTreeMap<i16, Kept>,
}

#[derive(Debug)]
pub(super) struct Joined {
    pub(super) entity_id: i32,
    /// Without the hardcore bit.
    pub(super) game_mode: u8,
    is_hardcore: bool,
    pub(super) dimension: i32,
    difficulty: u8,
    max_players: u8,
    level_type: String,
    reduced_debug: bool,
}

impl Joined {
    pub(super) fn new(packet: &JoinGame<'_>) -> Self {
        Self {
            entity_id: packet.entity_id,
            game_mode: packet.game_mode & !HARDCORE,
            is_hardcore: packet.game_mode & HARDCORE != 0,
            dimension: packet.dimension,
            difficulty: packet.difficulty,
            max_players: packet.max_players,
            level_type: packet.level_type.as_str().to_owned(),
            reduced_debug: packet.reduced_debug,
        }
    }
}

/// Where the player's feet are and where it looks.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Place {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) z: f64,
    pub(super) yaw: f32,
    pub(super) pitch: f32,
}

impl Place {
    /// Where a server wants the player, who is at `from`.
    fn moved(from: Option<Self>, to: &PositionLook) -> Self {
        let from = from.unwrap_or_default();
        let relative = |bit: i8| to.flags & bit != 0;
        Self {
            x: to.x + if relative(1) { from.x } else { 0.0 },
            y: to.y + if relative(2) { from.y } else { 0.0 },
            z: to.z + if relative(4) { from.z } else { 0.0 },
            yaw: to.yaw + if relative(8) { from.yaw } else { 0.0 },
            pitch: to.pitch + if relative(16) { from.pitch } else { 0.0 },
        }
    }

    /// What a client says that is there, as the answer to a teleport.
    pub(super) fn look(self) -> serverbound::PositionLook {
        serverbound::PositionLook {
            x: self.x,
            y: self.y,
            z: self.z,
            yaw: self.yaw,
            pitch: self.pitch,
            on_ground: false,
        }
    }
}

impl Player {
    pub(super) fn entity_id(&self) -> Option<i32> {
        self.joined.as_ref().map(|joined| joined.entity_id)
    }

    pub(super) fn is_dead(&self) -> bool {
        self.health.is_some_and(|it| it.health <= 0.0)
    }

    pub(super) fn set_game_mode(&mut self, mode: i32) {
        if let (Some(joined), Ok(mode)) = (&mut self.joined, u8::try_from(mode)) {
            joined.game_mode = mode;
        }
    }

    /// Whether the dimension is another one now.
    pub(super) fn respawn(
        &mut self,
        dimension: i32,
        difficulty: u8,
        mode: u8,
        level: &str,
    ) -> bool {
        let Some(joined) = &mut self.joined else {
            return false;
        };
        let is_other = joined.dimension != dimension;
        joined.dimension = dimension;
        joined.difficulty = difficulty;
        joined.game_mode = mode & !HARDCORE;
        level.clone_into(&mut joined.level_type);
        self.difficulty = None;
        if is_other {
            self.weather = [None; 3];
        }
        is_other
    }

    /// Takes what a server says.
    pub(super) fn apply(
        &mut self,
        packet: &Clientbound<'_>,
        body: &[u8],
        limits: &Limits,
        dropped: &mut Dropped,
    ) {
        match packet {
            Clientbound::Difficulty(it) => self.difficulty = Some(*it),
            Clientbound::Abilities(it) => self.abilities = Some(*it),
            Clientbound::HeldItemChange(it) => self.held = Some(*it),
            Clientbound::SpawnPosition(it) => self.spawn = Some(*it),
            Clientbound::Experience(it) => self.experience = Some(*it),
            Clientbound::UpdateHealth(it) => self.health = Some(*it),
            Clientbound::TimeUpdate(it) => self.time = Some(*it),
            Clientbound::PositionLook(it) => self.place = Some(Place::moved(self.place, it)),
            Clientbound::ChangeGameState(it) => self.change_state(it),
            Clientbound::PluginMessage(it) if it.channel.as_str() == super::session::BRAND => {
                self.brand = (body.len() <= limits.value_bytes).then(|| body.into());
            }
            Clientbound::PlayerListHeader(_) => {
                self.header = (body.len() <= limits.value_bytes).then(|| body.into());
            }
            Clientbound::WindowItems(it) if it.window == INVENTORY => {
                self.inventory.clear();
                for (slot, item) in (0..).zip(it.items.iter()) {
                    self.set_slot(slot, &item, limits, dropped);
                }
            }
            Clientbound::SetSlot(it) if matches!(it.window, 0 | INVENTORY_SILENT) => {
                self.set_slot(it.slot, &it.item, limits, dropped);
            }
            _ => {}
        }
    }

    fn change_state(&mut self, packet: &ChangeGameState) {
        let [rain, rain_level, thunder_level] = &mut self.weather;
        match packet.reason {
            1 | 2 => *rain = Some(*packet),
            3 => self.set_game_mode(packet.value as i32),
            7 => *rain_level = Some(*packet),
            8 => *thunder_level = Some(*packet),
            _ => {}
        }
    }

    fn set_slot(&mut self, slot: i16, item: &Slot<'_>, limits: &Limits, dropped: &mut Dropped) {
        if !(0..=LAST_SLOT).contains(&slot) {
            return;
        }
        // An item without a tag is as long as another, and takes its memory.
        let mut small = [0; 6];
        let mut writer = Writer::new(&mut small);
        match item.write(&mut writer) {
            Ok(()) => put(&mut self.inventory, slot, writer.written()),
            Err(Full) => match keep(item, limits.value_bytes) {
                Some(item) => drop(self.inventory.insert(slot, item)),
                None => dropped.values += 1,
            },
        }
    }

    /// Takes what the player's client says.
    pub(super) fn apply_own(&mut self, packet: &Serverbound<'_>) {
        let (at, look, on_ground) = match packet {
            Serverbound::Player(it) => (None, None, it.on_ground),
            Serverbound::PlayerPosition(it) => (Some([it.x, it.y, it.z]), None, it.on_ground),
            Serverbound::PositionLook(it) => (
                Some([it.x, it.y, it.z]),
                Some([it.yaw, it.pitch]),
                it.on_ground,
            ),
            Serverbound::Look(it) => (None, Some([it.yaw, it.pitch]), it.on_ground),
            Serverbound::VehicleMove(it) => (Some([it.x, it.y, it.z]), None, self.on_ground),
            Serverbound::HeldItemChange(it) => {
                if let Ok(slot) = i8::try_from(it.slot) {
                    self.held = Some(HeldItemChange { slot });
                }
                return;
            }
            Serverbound::Abilities(it) => {
                if let Some(abilities) = &mut self.abilities {
                    // Of these the client decides only whether it flies.
                    abilities.flags = abilities.flags & !2 | it.flags & 2;
                }
                return;
            }
            _ => return,
        };
        self.on_ground = on_ground;
        let from = self.place.unwrap_or_default();
        let [x, y, z] = at.unwrap_or([from.x, from.y, from.z]);
        let [yaw, pitch] = look.unwrap_or([from.yaw, from.pitch]);
        if at.is_some() || self.place.is_some() {
            self.place = Some(Place {
                x,
                y,
                z,
                yaw,
                pitch,
            });
        }
    }

    /// The first packets of a replay, Join Game first.
    pub(super) fn replay_join(&self, script: &mut Script<'_>) {
        let Some(joined) = &self.joined else {
            return;
        };
        let hardcore = if joined.is_hardcore { HARDCORE } else { 0 };
        script.packet(&JoinGame {
            entity_id: joined.entity_id,
            game_mode: joined.game_mode | hardcore,
            dimension: joined.dimension,
            difficulty: self
                .difficulty
                .map_or(joined.difficulty, |it| it.difficulty),
            max_players: joined.max_players,
            level_type: Text::cut(&joined.level_type),
            reduced_debug: joined.reduced_debug,
        });
        if let Some(brand) = &self.brand {
            script.body(brand);
        }
        script.packets(self.difficulty);
        script.packets(self.abilities);
        script.packets(self.held);
        script.packets(self.spawn);
    }

    /// What follows the list of players.
    pub(super) fn replay_header(&self, script: &mut Script<'_>) {
        if let Some(header) = &self.header {
            script.body(header);
        }
        script.packets(self.time);
        script.packets(self.experience);
        script.packets(self.weather.into_iter().flatten());
    }

    /// The last packets: what the player has, how it is, and where with the number `teleport`.
    pub(super) fn replay_self(&self, teleport: i32, script: &mut Script<'_>) {
        for (&slot, item) in &self.inventory {
            if let Some(item) = recall(item) {
                let window = 0;
                script.packet(&SetSlot { window, slot, item });
            }
        }
        if let Some(joined) = &self.joined {
            script.packet(&ChangeGameState {
                reason: 3,
                value: f32::from(joined.game_mode),
            });
        }
        if let Some(place) = self.place {
            script.packet(&PositionLook {
                x: place.x,
                y: place.y,
                z: place.z,
                yaw: place.yaw,
                pitch: place.pitch,
                flags: 0,
                teleport_id: VarInt(teleport),
            });
        }
        script.packets(self.health);
    }
}

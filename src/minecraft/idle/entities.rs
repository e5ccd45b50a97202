//! The world's entities, where they are now.

use super::{Dropped, Kept, Limits, keep, put, recall, replay::Script};
use crate::minecraft::{
    Angle, List, Metadata, Position, Slot, Text, Uuid, VarInt,
    packets::play::{
        Velocity,
        clientbound::{
            AttachEntity, Clientbound, EntityEffect, EntityEquipment, EntityMetadata, HeadLook,
            SetPassengers, SpawnMob, SpawnObject, SpawnOrb, SpawnPainting, SpawnPlayer,
        },
    },
};
use std::collections::BTreeMap;

/// Places are kept in the unit of relative moves.
const UNITS_PER_BLOCK: f64 = 4096.0;

/// On nobody's leash.
const NOBODY: i32 = -1;

#[derive(Debug, Default)]
pub(super) struct Entities {
    entities: BTreeMap<i32, Entity>,
    /// What is known of the player, which has no spawn packet.
    own: Traits,
}

#[derive(Debug)]
struct Entity {
    kind: Kind,
    at: [i64; 3],
    yaw: Angle,
    pitch: Angle,
    head: Angle,
    traits: Traits,
}

#[derive(Debug)]
enum Kind {
    Object {
        uuid: Uuid,
        kind: i8,
        data: i32,
    },
    Orb {
        count: i16,
    },
    Mob {
        uuid: Uuid,
        kind: VarInt,
    },
    Painting {
        uuid: Uuid,
        title: String,
        location: Position,
        direction: u8,
    },
    Player {
        uuid: Uuid,
    },
}

/// What becomes of an entity after its spawn.
#[derive(Debug)]
struct Traits {
    /// Values by index.
    metadata: BTreeMap<u8, Kept>,
    /// Items by place.
    equipment: BTreeMap<i32, Kept>,
    effects: BTreeMap<i8, EntityEffect>,
    /// The newest packet.
    attributes: Option<Kept>,
    passengers: Option<Kept>,
    holder: i32,
}

impl Default for Traits {
    fn default() -> Self {
        Self {
            metadata: BTreeMap::new(),
            equipment: BTreeMap::new(),
            effects: BTreeMap::new(),
            attributes: None,
            passengers: None,
            holder: NOBODY,
        }
    }
}

impl Entities {
    /// All entities go but the player.
    pub(super) fn clear(&mut self) {
        self.entities.clear();
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.entities.len()
    }

    /// Whether the player rides one.
    pub(super) fn carries(&self, rider: i32) -> bool {
        let mut passengers = self
            .entities
            .values()
            .filter_map(|it| it.traits.passengers());
        passengers.any(|list| list.iter().any(|it| it.0 == rider))
    }

    /// Takes what a packet says of entities; `own` is the player's.
    pub(super) fn apply(
        &mut self,
        packet: &Clientbound<'_>,
        body: &[u8],
        own: Option<i32>,
        limits: &Limits,
        dropped: &mut Dropped,
    ) {
        if let Some((id, entity, metadata)) = Entity::spawned(packet) {
            let is_new = !self.entities.contains_key(&id);
            if is_new && self.entities.len() >= limits.entities {
                dropped.entities += 1;
                return;
            }
            self.entities.insert(id, entity);
            if let Some(metadata) = metadata {
                self.set_metadata(id, own, &metadata, limits, dropped);
            }
            return;
        }
        match packet {
            Clientbound::DestroyEntities(it) => {
                for id in it.entity_ids.iter() {
                    self.entities.remove(&id.0);
                }
            }
            Clientbound::EntityMetadata(it) => {
                self.set_metadata(it.entity_id.0, own, &it.metadata, limits, dropped);
            }
            _ => {
                self.apply_place(packet);
                self.apply_traits(packet, body, own, limits, dropped);
            }
        }
    }

    fn apply_place(&mut self, packet: &Clientbound<'_>) {
        let (id, by, look, to) = match packet {
            Clientbound::EntityMove(it) => (it.entity_id, [it.dx, it.dy, it.dz], None, None),
            Clientbound::EntityMoveLook(it) => {
                let look = Some((it.yaw, it.pitch));
                (it.entity_id, [it.dx, it.dy, it.dz], look, None)
            }
            Clientbound::EntityLook(it) => (it.entity_id, [0; 3], Some((it.yaw, it.pitch)), None),
            Clientbound::EntityTeleport(it) => {
                let look = Some((it.yaw, it.pitch));
                (it.entity_id, [0; 3], look, Some(units([it.x, it.y, it.z])))
            }
            Clientbound::HeadLook(it) => {
                if let Some(entity) = self.entities.get_mut(&it.entity_id.0) {
                    entity.head = it.yaw;
                }
                return;
            }
            _ => return,
        };
        let Some(entity) = self.entities.get_mut(&id.0) else {
            return;
        };
        for (at, by) in entity.at.iter_mut().zip(by) {
            *at = at.saturating_add(i64::from(by));
        }
        if let Some((yaw, pitch)) = look {
            (entity.yaw, entity.pitch) = (yaw, pitch);
        }
        if let Some(to) = to {
            entity.at = to;
        }
    }

    fn apply_traits(
        &mut self,
        packet: &Clientbound<'_>,
        body: &[u8],
        own: Option<i32>,
        limits: &Limits,
        dropped: &mut Dropped,
    ) {
        let id = match packet {
            Clientbound::EntityEquipment(it) => it.entity_id.0,
            Clientbound::EntityEffect(it) => it.entity_id.0,
            Clientbound::RemoveEntityEffect(it) => it.entity_id.0,
            Clientbound::EntityProperties(it) => it.entity_id.0,
            Clientbound::SetPassengers(it) => it.entity_id.0,
            Clientbound::AttachEntity(it) => it.entity_id,
            _ => return,
        };
        let Some(traits) = self.traits(id, own) else {
            return;
        };
        let most = limits.value_bytes;
        let kept = match packet {
            Clientbound::EntityEquipment(it) if (0..6).contains(&it.slot.0) => {
                keep(&it.item, most).map(|item| drop(traits.equipment.insert(it.slot.0, item)))
            }
            Clientbound::EntityEffect(it) => {
                traits.effects.insert(it.effect, *it);
                Some(())
            }
            Clientbound::RemoveEntityEffect(it) => {
                traits.effects.remove(&it.effect);
                Some(())
            }
            Clientbound::EntityProperties(_) if body.len() <= most => {
                traits.attributes = Some(body.into());
                Some(())
            }
            Clientbound::SetPassengers(it) => {
                traits.passengers = keep(&it.passengers, most);
                traits.passengers.as_ref().map(|_| ())
            }
            Clientbound::AttachEntity(it) => {
                traits.holder = it.holder_id;
                Some(())
            }
            _ => None,
        };
        if kept.is_none() {
            dropped.values += 1;
        }
    }

    fn set_metadata(
        &mut self,
        id: i32,
        own: Option<i32>,
        metadata: &Metadata<'_>,
        limits: &Limits,
        dropped: &mut Dropped,
    ) {
        let Some(traits) = self.traits(id, own) else {
            return;
        };
        for entry in metadata.entries() {
            if entry.bytes.len() <= limits.value_bytes {
                put(&mut traits.metadata, entry.index, entry.bytes);
            } else {
                dropped.values += 1;
            }
        }
    }

    fn traits(&mut self, id: i32, own: Option<i32>) -> Option<&mut Traits> {
        if own == Some(id) {
            return Some(&mut self.own);
        }
        self.entities.get_mut(&id).map(|entity| &mut entity.traits)
    }

    /// Appends all entities to a replay; then who rides and who is on a leash.
    pub(super) fn replay(&self, script: &mut Script<'_>) {
        for (&id, entity) in &self.entities {
            entity.spawn(id, script);
            entity.traits.replay(id, entity.head(), script);
        }
        for (&id, entity) in &self.entities {
            let passengers = entity.traits.passengers();
            if let Some(passengers) = passengers.filter(|list| list.count() > 0) {
                script.packet(&SetPassengers {
                    entity_id: VarInt(id),
                    passengers,
                });
            }
            if entity.traits.holder != NOBODY {
                script.packet(&AttachEntity {
                    entity_id: id,
                    holder_id: entity.traits.holder,
                });
            }
        }
    }

    /// Appends what is known of the player to a replay.
    pub(super) fn replay_own(&self, own: i32, script: &mut Script<'_>) {
        self.own.replay(own, None, script);
    }
}

impl Entity {
    fn new(kind: Kind, at: [i64; 3], yaw: Angle, pitch: Angle) -> Self {
        Self {
            kind,
            at,
            yaw,
            pitch,
            head: yaw,
            traits: Traits::default(),
        }
    }

    /// The entity that a packet lets appear, its id and its metadata.
    fn spawned<'a>(packet: &Clientbound<'a>) -> Option<(i32, Self, Option<Metadata<'a>>)> {
        Some(match packet {
            Clientbound::SpawnObject(it) => {
                let kind = Kind::Object {
                    uuid: it.uuid,
                    kind: it.kind,
                    data: it.data,
                };
                let entity = Self::new(kind, units([it.x, it.y, it.z]), it.yaw, it.pitch);
                (it.entity_id.0, entity, None)
            }
            Clientbound::SpawnOrb(it) => {
                let kind = Kind::Orb { count: it.count };
                let at = units([it.x, it.y, it.z]);
                let entity = Self::new(kind, at, Angle::default(), Angle::default());
                (it.entity_id.0, entity, None)
            }
            Clientbound::SpawnMob(it) => {
                let kind = Kind::Mob {
                    uuid: it.uuid,
                    kind: it.kind,
                };
                let mut entity = Self::new(kind, units([it.x, it.y, it.z]), it.yaw, it.pitch);
                entity.head = it.head_pitch;
                (it.entity_id.0, entity, Some(it.metadata))
            }
            Clientbound::SpawnPainting(it) => {
                let kind = Kind::Painting {
                    uuid: it.uuid,
                    title: it.title.as_str().to_owned(),
                    location: it.location,
                    direction: it.direction,
                };
                let entity = Self::new(kind, [0; 3], Angle::default(), Angle::default());
                (it.entity_id.0, entity, None)
            }
            Clientbound::SpawnPlayer(it) => {
                let kind = Kind::Player { uuid: it.uuid };
                let entity = Self::new(kind, units([it.x, it.y, it.z]), it.yaw, it.pitch);
                (it.entity_id.0, entity, Some(it.metadata))
            }
            _ => return None,
        })
    }

    fn spawn(&self, id: i32, script: &mut Script<'_>) {
        const RESTING: Velocity = Velocity { x: 0, y: 0, z: 0 };
        let [x, y, z] = self.at.map(|units| units as f64 / UNITS_PER_BLOCK);
        let (entity_id, yaw, pitch) = (VarInt(id), self.yaw, self.pitch);
        match &self.kind {
            &Kind::Object { uuid, kind, data } => script.packet(&SpawnObject {
                entity_id,
                uuid,
                kind,
                x,
                y,
                z,
                pitch,
                yaw,
                data,
                velocity: RESTING,
            }),
            &Kind::Orb { count } => script.packet(&SpawnOrb {
                entity_id,
                x,
                y,
                z,
                count,
            }),
            &Kind::Mob { uuid, kind } => {
                script.packet(&SpawnMob {
                    entity_id,
                    uuid,
                    kind,
                    x,
                    y,
                    z,
                    yaw,
                    pitch,
                    head_pitch: self.head,
                    velocity: RESTING,
                    metadata: Metadata::default(),
                });
            }
            Kind::Painting {
                uuid,
                title,
                location,
                direction,
            } => script.packet(&SpawnPainting {
                entity_id,
                uuid: *uuid,
                title: Text::cut(title),
                location: *location,
                direction: *direction,
            }),
            &Kind::Player { uuid } => script.packet(&SpawnPlayer {
                entity_id,
                uuid,
                x,
                y,
                z,
                yaw,
                pitch,
                metadata: Metadata::default(),
            }),
        }
    }

    fn head(&self) -> Option<Angle> {
        matches!(self.kind, Kind::Mob { .. } | Kind::Player { .. }).then_some(self.head)
    }
}

impl Traits {
    fn passengers(&self) -> Option<List<'_, VarInt, VarInt>> {
        recall(self.passengers.as_ref()?)
    }

    fn replay(&self, id: i32, head: Option<Angle>, script: &mut Script<'_>) {
        let entity_id = VarInt(id);
        if !self.metadata.is_empty() {
            let entries: Vec<&[u8]> = self.metadata.values().map(|it| &**it).collect();
            let mut bytes = entries.concat();
            bytes.push(0xFF);
            if let Some(metadata) = recall(&bytes) {
                script.packet(&EntityMetadata {
                    entity_id,
                    metadata,
                });
            }
        }
        for (&slot, item) in &self.equipment {
            if let Some(item) = recall::<Slot<'_>>(item) {
                script.packet(&EntityEquipment {
                    entity_id,
                    slot: VarInt(slot),
                    item,
                });
            }
        }
        if let Some(yaw) = head {
            script.packet(&HeadLook { entity_id, yaw });
        }
        if let Some(attributes) = &self.attributes {
            script.body(attributes);
        }
        script.packets(self.effects.values().copied());
    }
}

fn units(at: [f64; 3]) -> [i64; 3] {
    at.map(|blocks| (blocks * UNITS_PER_BLOCK).floor() as i64)
}

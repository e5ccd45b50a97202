//! The list of players.

use super::{Dropped, Kept, Limits, keep, recall, replay::Script};
use crate::minecraft::{
    Json, List, Text, Uuid, VarInt,
    packets::play::{NewPlayer, PlayerListAction, clientbound::PlayerList},
};
use std::collections::BTreeMap;

#[derive(Debug, Default)]
pub(super) struct Roster {
    players: BTreeMap<Uuid, Listed>,
}

#[derive(Debug)]
struct Listed {
    name: String,
    properties: Kept,
    game_mode: VarInt,
    ping: VarInt,
    display_name: Option<String>,
}

impl Roster {
    /// Takes what a packet says; answers the new mode of `own`, if it is in it.
    pub(super) fn apply(
        &mut self,
        packet: &PlayerList<'_>,
        own: Uuid,
        limits: &Limits,
        dropped: &mut Dropped,
    ) -> Option<i32> {
        let mut own_mode = None;
        match packet.action {
            PlayerListAction::Add { players } => {
                for player in players.iter() {
                    if !self.add(&player, limits) {
                        dropped.values += 1;
                    }
                }
            }
            PlayerListAction::GameMode { players } => {
                for player in players.iter() {
                    if player.uuid == own {
                        own_mode = Some(player.game_mode.0);
                    }
                    if let Some(listed) = self.players.get_mut(&player.uuid) {
                        listed.game_mode = player.game_mode;
                    }
                }
            }
            PlayerListAction::Latency { players } => {
                for player in players.iter() {
                    if let Some(listed) = self.players.get_mut(&player.uuid) {
                        listed.ping = player.ping;
                    }
                }
            }
            PlayerListAction::DisplayName { players } => {
                for player in players.iter() {
                    if let Some(listed) = self.players.get_mut(&player.uuid) {
                        listed.display_name = display_name(player.display_name, limits);
                    }
                }
            }
            PlayerListAction::Remove { players } => {
                for uuid in players.iter() {
                    self.players.remove(&uuid);
                }
            }
        }
        own_mode
    }

    fn add(&mut self, player: &NewPlayer<'_>, limits: &Limits) -> bool {
        let is_new = !self.players.contains_key(&player.uuid);
        if is_new && self.players.len() >= limits.players {
            return false;
        }
        let Some(properties) = keep(&player.properties, limits.value_bytes) else {
            return false;
        };
        let listed = Listed {
            name: player.name.as_str().to_owned(),
            properties,
            game_mode: player.game_mode,
            ping: player.ping,
            display_name: display_name(player.display_name, limits),
        };
        self.players.insert(player.uuid, listed);
        true
    }

    /// Appends everybody to a replay.
    pub(super) fn replay(&self, script: &mut Script<'_>) {
        for (&uuid, listed) in &self.players {
            let player = NewPlayer {
                uuid,
                name: Text::cut(&listed.name),
                properties: recall(&listed.properties).unwrap_or(List::of(&[])),
                game_mode: listed.game_mode,
                ping: listed.ping,
                display_name: listed.display_name.as_deref().map(Json::cut),
            };
            script.packet(&PlayerList {
                action: PlayerListAction::Add {
                    players: List::of(&[player]),
                },
            });
        }
    }
}

fn display_name(name: Option<Json<'_>>, limits: &Limits) -> Option<String> {
    let name = name?.as_str();
    (name.len() <= limits.value_bytes).then(|| name.to_owned())
}

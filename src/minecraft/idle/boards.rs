//! Borders, scores, teams and the bars of bosses: what a server shows around the world.

use super::{Dropped, Kept, Limits, keep, recall, replay::Script};
use crate::minecraft::{
    Json, List, Text, Uuid, VarInt, VarLong,
    packets::play::{
        Border, BossBarAction, ObjectiveAction, ScoreAction, TeamAction,
        clientbound::{
            BossBar, Clientbound, DisplayScoreboard, ScoreboardObjective, Teams, UpdateScore,
            WorldBorder,
        },
    },
};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Default)]
pub(super) struct Boards {
    border: Option<Edge>,
    /// Text and kind, by name.
    objectives: BTreeMap<String, (String, String)>,
    /// Objectives by place.
    displays: BTreeMap<i8, String>,
    /// Values by objective and item.
    scores: BTreeMap<(String, String), VarInt>,
    teams: BTreeMap<String, Team>,
    bars: BTreeMap<Uuid, Bar>,
}

#[derive(Clone, Copy, Debug)]
struct Edge {
    x: f64,
    z: f64,
    diameter: f64,
    portal: VarInt,
    warning_time: VarInt,
    warning_blocks: VarInt,
}

#[derive(Debug)]
struct Team {
    look: Kept,
    players: BTreeSet<String>,
}

#[derive(Debug)]
struct Bar {
    title: String,
    health: f32,
    color: VarInt,
    dividers: VarInt,
    flags: u8,
}

impl Boards {
    /// Takes what a packet says.
    pub(super) fn apply(
        &mut self,
        packet: &Clientbound<'_>,
        limits: &Limits,
        dropped: &mut Dropped,
    ) {
        let kept = match packet {
            Clientbound::WorldBorder(it) => {
                self.apply_border(it.action);
                true
            }
            Clientbound::ScoreboardObjective(it) => self.apply_objective(it, limits),
            Clientbound::DisplayScoreboard(it) => {
                let name = it.name.as_str();
                if name.is_empty() {
                    self.displays.remove(&it.position);
                } else {
                    self.displays.insert(it.position, name.to_owned());
                }
                true
            }
            Clientbound::UpdateScore(it) => self.apply_score(it, limits),
            Clientbound::Teams(it) => self.apply_team(it, limits),
            Clientbound::BossBar(it) => self.apply_bar(it, limits),
            _ => true,
        };
        if !kept {
            dropped.values += 1;
        }
    }

    fn apply_border(&mut self, action: Border) {
        if let Border::Init {
            x,
            z,
            new,
            portal,
            warning_time,
            warning_blocks,
            ..
        } = action
        {
            self.border = Some(Edge {
                x,
                z,
                diameter: new,
                portal,
                warning_time,
                warning_blocks,
            });
        }
        let Some(edge) = &mut self.border else {
            return;
        };
        match action {
            // Nobody here knows how far a moving border has come: it is where it goes.
            Border::Size { diameter } | Border::Lerp { new: diameter, .. } => {
                edge.diameter = diameter;
            }
            Border::Center { x, z } => (edge.x, edge.z) = (x, z),
            Border::WarningTime { seconds } => edge.warning_time = seconds,
            Border::WarningBlocks { blocks } => edge.warning_blocks = blocks,
            Border::Init { .. } => {}
        }
    }

    fn apply_objective(&mut self, packet: &ScoreboardObjective<'_>, limits: &Limits) -> bool {
        let name = packet.name.as_str();
        match packet.action {
            ObjectiveAction::Create { text, kind } | ObjectiveAction::Update { text, kind } => {
                if !room(&self.objectives, name, limits.boards) {
                    return false;
                }
                let value = (text.as_str().to_owned(), kind.as_str().to_owned());
                self.objectives.insert(name.to_owned(), value);
            }
            ObjectiveAction::Remove {} => {
                self.objectives.remove(name);
                self.scores.retain(|(objective, _), _| objective != name);
                self.displays.retain(|_, objective| objective != name);
            }
        }
        true
    }

    fn apply_score(&mut self, packet: &UpdateScore<'_>, limits: &Limits) -> bool {
        let key = |objective: Text<'_, 16>| {
            let item = packet.item.as_str();
            (objective.as_str().to_owned(), item.to_owned())
        };
        match packet.action {
            ScoreAction::Set { objective, value } => {
                let key = key(objective);
                if self.scores.len() >= limits.boards && !self.scores.contains_key(&key) {
                    return false;
                }
                self.scores.insert(key, value);
            }
            // Without an objective it is all of them.
            ScoreAction::Remove { objective } if objective.as_str().is_empty() => {
                let gone = packet.item.as_str();
                self.scores.retain(|(_, item), _| item != gone);
            }
            ScoreAction::Remove { objective } => drop(self.scores.remove(&key(objective))),
        }
        true
    }

    fn apply_team(&mut self, packet: &Teams<'_>, limits: &Limits) -> bool {
        let name = packet.team.as_str();
        let team = self.teams.get_mut(name);
        match packet.action {
            TeamAction::Create { look, players } => {
                if !room(&self.teams, name, limits.boards) || players.count() > limits.boards {
                    return false;
                }
                let Some(look) = keep(&look, limits.value_bytes) else {
                    return false;
                };
                let players = players.iter().map(|it| it.as_str().to_owned()).collect();
                self.teams.insert(name.to_owned(), Team { look, players });
            }
            TeamAction::Remove {} => drop(self.teams.remove(name)),
            TeamAction::Update { look } => {
                if let (Some(team), Some(look)) = (team, keep(&look, limits.value_bytes)) {
                    team.look = look;
                }
            }
            TeamAction::Join { players } => {
                let Some(team) = team else {
                    return true;
                };
                if team.players.len() + players.count() > limits.boards {
                    return false;
                }
                let players = players.iter().map(|it| it.as_str().to_owned());
                team.players.extend(players);
            }
            TeamAction::Leave { players } => {
                if let Some(team) = team {
                    players.iter().for_each(|it| {
                        team.players.remove(it.as_str());
                    });
                }
            }
        }
        true
    }

    fn apply_bar(&mut self, packet: &BossBar<'_>, limits: &Limits) -> bool {
        let fits = |title: Json<'_>| title.as_str().len() <= limits.value_bytes;
        if let BossBarAction::Add {
            title,
            health,
            color,
            dividers,
            flags,
        } = packet.action
        {
            let is_new = !self.bars.contains_key(&packet.uuid);
            if (is_new && self.bars.len() >= limits.boards) || !fits(title) {
                return false;
            }
            let bar = Bar {
                title: title.as_str().to_owned(),
                health,
                color,
                dividers,
                flags,
            };
            self.bars.insert(packet.uuid, bar);
            return true;
        }
        let Some(bar) = self.bars.get_mut(&packet.uuid) else {
            return true;
        };
        match packet.action {
            BossBarAction::Add { .. } => {}
            BossBarAction::Remove {} => drop(self.bars.remove(&packet.uuid)),
            BossBarAction::Health { health } => bar.health = health,
            BossBarAction::Title { title } if fits(title) => bar.title = title.as_str().to_owned(),
            BossBarAction::Title { .. } => return false,
            BossBarAction::Style { color, dividers } => {
                (bar.color, bar.dividers) = (color, dividers);
            }
            BossBarAction::Flags { flags } => bar.flags = flags,
        }
        true
    }

    /// Appends all of it to a replay.
    pub(super) fn replay(&self, script: &mut Script<'_>) {
        if let Some(edge) = self.border {
            script.packet(&WorldBorder {
                action: Border::Init {
                    x: edge.x,
                    z: edge.z,
                    old: edge.diameter,
                    new: edge.diameter,
                    speed: VarLong(0),
                    portal: edge.portal,
                    warning_time: edge.warning_time,
                    warning_blocks: edge.warning_blocks,
                },
            });
        }
        self.replay_scores(script);
        for (name, team) in &self.teams {
            let players: Vec<_> = team.players.iter().map(|it| Text::cut(it)).collect();
            if let Some(look) = recall(&team.look) {
                script.packet(&Teams {
                    team: Text::cut(name),
                    action: TeamAction::Create {
                        look,
                        players: List::of(&players),
                    },
                });
            }
        }
        for (&uuid, bar) in &self.bars {
            script.packet(&BossBar {
                uuid,
                action: BossBarAction::Add {
                    title: Text::cut(&bar.title),
                    health: bar.health,
                    color: bar.color,
                    dividers: bar.dividers,
                    flags: bar.flags,
                },
            });
        }
    }

    fn replay_scores(&self, script: &mut Script<'_>) {
        for (name, (text, kind)) in &self.objectives {
            script.packet(&ScoreboardObjective {
                name: Text::cut(name),
                action: ObjectiveAction::Create {
                    text: Text::cut(text),
                    kind: Text::cut(kind),
                },
            });
        }
        for ((objective, item), &value) in &self.scores {
            script.packet(&UpdateScore {
                item: Text::cut(item),
                action: ScoreAction::Set {
                    objective: Text::cut(objective),
                    value,
                },
            });
        }
        for (&position, name) in &self.displays {
            script.packet(&DisplayScoreboard {
                position,
                name: Text::cut(name),
            });
        }
    }
}

fn room<V>(map: &BTreeMap<String, V>, key: &str, most: usize) -> bool {
    map.len() < most || map.contains_key(key)
}

//! The lobby as one client sees it.

use samara::kaillera::message::{GameStatus, ServerMessage};
use std::collections::BTreeMap;

/// What a client's windows show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct View {
    pub(crate) users: BTreeMap<u16, UserLine>,
    pub(crate) games: BTreeMap<u32, GameLine>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UserLine {
    pub(crate) name: Vec<u8>,
    pub(crate) ping: u32,
    pub(crate) connection_type: u8,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GameLine {
    pub(crate) rom: Vec<u8>,
    pub(crate) owner: Vec<u8>,
    pub(crate) emulator: Vec<u8>,
    pub(crate) status: u8,
    pub(crate) players: u8,
    pub(crate) capacity: u8,
}

impl View {
    /// Applies a message; says what is wrong with it for one who has seen all before it.
    pub(crate) fn apply(&mut self, message: &ServerMessage<'_>) -> Result<(), String> {
        match *message {
            ServerMessage::ServerStatus { .. } => self.lists(message),
            ServerMessage::UserJoined {
                name,
                id,
                ping,
                connection_type,
            } => {
                let line = UserLine {
                    name: name.to_vec(),
                    ping,
                    connection_type: connection_type as u8,
                };
                let before = self.users.insert(id.0, line);
                expect(before.is_none(), || format!("user {} joins twice", id.0))
            }
            ServerMessage::Quit { id, .. } => {
                let before = self.users.remove(&id.0);
                expect(before.is_some(), || format!("unknown user {} quits", id.0))
            }
            ServerMessage::CreateGame {
                owner,
                rom,
                emulator,
                game,
            } => {
                let line = GameLine {
                    rom: rom.to_vec(),
                    owner: owner.to_vec(),
                    emulator: emulator.to_vec(),
                    status: GameStatus::Waiting as u8,
                    players: 0,
                    capacity: 0,
                };
                let before = self.games.insert(game.0, line);
                expect(before.is_none(), || format!("room {} opens twice", game.0))
            }
            ServerMessage::GameStatus {
                game,
                status,
                players,
                capacity,
            } => match self.games.get_mut(&game.0) {
                Some(line) => {
                    line.status = status as u8;
                    line.players = players;
                    line.capacity = capacity;
                    expect(players <= capacity, || {
                        format!("room {} is overfull", game.0)
                    })
                }
                None => Err(format!("status of unknown room {}", game.0)),
            },
            ServerMessage::CloseGame { game } => {
                let before = self.games.remove(&game.0);
                expect(before.is_some(), || {
                    format!("unknown room {} closes", game.0)
                })
            }
            _ => Ok(()),
        }
    }

    fn lists(&mut self, message: &ServerMessage<'_>) -> Result<(), String> {
        for user in message.users() {
            let line = UserLine {
                name: user.name.to_vec(),
                ping: user.ping,
                connection_type: user.connection_type as u8,
            };
            let before = self.users.insert(user.id.0, line);
            expect(before.is_none(), || {
                format!("user {} listed twice", user.id.0)
            })?;
        }
        for game in message.games() {
            let seats = std::str::from_utf8(game.seats).ok();
            let seats = seats.and_then(|seats| seats.split_once('/'));
            let (players, capacity) = seats.ok_or("room without seats")?;
            let line = GameLine {
                rom: game.rom.to_vec(),
                owner: game.owner.to_vec(),
                emulator: game.emulator.to_vec(),
                status: game.status,
                players: players.parse().map_err(|_| "players")?,
                capacity: capacity.parse().map_err(|_| "capacity")?,
            };
            let before = self.games.insert(game.game.0, line);
            expect(before.is_none(), || {
                format!("room {} listed twice", game.game.0)
            })?;
        }
        Ok(())
    }
}

fn expect(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise()) }
}

//! What an operator sets about Minecraft.

use super::Network;
use crate::minecraft::{
    Favicon, LoginName,
    idle::{self, AntiAfk, Limits},
};
use std::{net::SocketAddr, time::Duration};

/// What the server list shows, and whose sessions are kept where.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The text below the server's name; see [`super::Lobby::fill`] for what is replaced in it.
    pub motd: String,
    /// A picture.
    pub favicon: Option<Favicon>,
    /// The world that players get; without one nobody can log in.
    pub idle: Option<Idle>,
}

/// Sessions at another server that stay while their players are away.
#[derive(Clone, Debug)]
pub struct Idle {
    /// The other server.
    pub address: SocketAddr,
    /// What it is told it is called.
    pub host: String,
    /// Who may have a session, each once; the position of a name is the number of its session.
    pub players: Vec<LoginName>,
    /// Where players may come from; empty is anywhere.
    pub clients: Vec<Network>,
    /// Sessions at a time.
    pub sessions: usize,
    /// Whether a session that the other server ends is begun again.
    pub reconnect: bool,
    /// How long a session stays without its player; `None` is for ever.
    pub away_limit: Option<Duration>,
    /// How far players see until their clients say so, in columns.
    pub view_distance: u8,
    /// What is done against being thrown out for standing still.
    pub anti_afk: Option<AntiAfk>,
    /// What a session keeps.
    pub limits: Limits,
}

impl Idle {
    /// How each session behaves.
    pub(super) fn session(&self) -> idle::Settings {
        idle::Settings {
            limits: self.limits,
            view_distance: i8::try_from(self.view_distance).unwrap_or(i8::MAX),
            anti_afk: self.anti_afk,
        }
    }

    /// Which session a player has.
    pub(super) fn session_of(&self, name: LoginName) -> Option<usize> {
        self.players.iter().position(|it| *it == name)
    }
}

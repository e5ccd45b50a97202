//! The section about Minecraft: what the server list shows, and whose sessions are kept where.

use super::{
    document::{Document, KeyName},
    section::{BYTES, SECONDS, Section},
};
use crate::{
    minecraft::{
        Favicon, LoginName,
        idle::{AntiAfk, Limits},
    },
    service::minecraft::{Idle, Network, Settings},
};
use std::{fs::File, io::Read, net::SocketAddr, time::Duration};

/// Longest text below the server's name, in characters.
const MOTD: usize = 512;

/// How the Minecraft list shows the server, and which world its players get.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Minecraft {
    /// Whether on the server's own port, beside what else it serves.
    pub on_shared_port: bool,
    /// Listeners of its own, each once.
    pub listen: Vec<SocketAddr>,
    /// The text below the server's name.
    pub motd: String,
    /// A picture.
    pub favicon: Option<Favicon>,
    /// The server whose sessions are kept; without one nobody can log in.
    pub upstream: Option<Upstream>,
    /// Who may have a session.
    pub players: Vec<LoginName>,
    /// Where they may come from; empty is anywhere.
    pub clients: Vec<Network>,
    /// Sessions at a time.
    pub sessions: usize,
    /// Whether a session that the other server ends is begun again.
    pub reconnect: bool,
    /// How long a session stays without its player; zero is for ever.
    pub away_limit: Duration,
    /// How far players see until their clients say so, in columns.
    pub view_distance: u8,
    /// Whether something is done against being thrown out for standing still.
    pub anti_afk: bool,
    /// What that is.
    pub moves: AntiAfk,
    /// What a session keeps; no columns is as many as the view distance needs.
    pub limits: Limits,
}

/// Another Minecraft server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Upstream {
    /// A name or an address.
    pub host: String,
    /// A port.
    pub port: u16,
}

impl Upstream {
    fn parse(text: &str) -> Option<Self> {
        let (host, port) = text.rsplit_once(':')?;
        let port = port.parse().ok().filter(|port| *port != 0)?;
        let plain = host.strip_prefix('[').and_then(|it| it.strip_suffix(']'));
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.' || c == '_';
        let host = match plain {
            Some(ip) => ip.parse::<std::net::Ipv6Addr>().ok().map(|_| ip)?,
            None => Some(host).filter(|it| !it.is_empty() && it.chars().all(is_name))?,
        };
        (host.len() <= 255).then(|| Self {
            host: host.to_owned(),
            port,
        })
    }
}

impl Minecraft {
    /// Whether anything is served.
    pub(super) fn is_served(&self, shared_port: bool) -> bool {
        (shared_port && self.on_shared_port) || !self.listen.is_empty()
    }

    /// What the service is told; `upstream` is where the other server is.
    pub(super) fn settings(&self, upstream: Option<SocketAddr>) -> Settings {
        let idle = self.upstream.as_ref().zip(upstream);
        Settings {
            motd: self.motd.clone(),
            favicon: self.favicon.clone(),
            idle: idle.map(|(upstream, address)| Idle {
                address,
                host: upstream.host.clone(),
                players: self.players.clone(),
                clients: self.clients.clone(),
                sessions: self.sessions,
                reconnect: self.reconnect,
                away_limit: (!self.away_limit.is_zero()).then_some(self.away_limit),
                view_distance: self.view_distance,
                anti_afk: self.anti_afk.then_some(self.moves),
                limits: Limits {
                    columns: match self.limits.columns {
                        0 => Limits::for_view_distance(self.view_distance).columns,
                        columns => columns,
                    },
                    ..self.limits
                },
            }),
        }
    }
}

impl Default for Minecraft {
    fn default() -> Self {
        Self {
            on_shared_port: true,
            listen: Vec::new(),
            motd: "Samara: {users} users in {rooms} rooms".to_owned(),
            favicon: None,
            upstream: None,
            players: Vec::new(),
            clients: Vec::new(),
            sessions: 16,
            reconnect: false,
            away_limit: Duration::ZERO,
            view_distance: 10,
            anti_afk: false,
            moves: AntiAfk {
                interval: Duration::from_secs(30),
                steps: false,
            },
            limits: Limits {
                columns: 0,
                ..Limits::default()
            },
        }
    }
}

pub(super) fn minecraft(document: &mut Document<'_>, minecraft: &mut Minecraft) {
    let mut section = document.section("minecraft");
    section.boolean("on_shared_port", &mut minecraft.on_shared_port);
    let valid = "an address with a port such as \"0.0.0.0:25565\"";
    let address = |text: &str| text.parse().ok();
    let mut listen: Vec<SocketAddr> = Vec::new();
    section.texts("listen", (0..=16, "addresses"), valid, address, &mut listen);
    for address in listen {
        if !minecraft.listen.contains(&address) {
            minecraft.listen.push(address);
        }
    }
    let valid = format!("a text of at most {MOTD} characters, one or two lines");
    section.text("motd", &valid, motd, &mut minecraft.motd);
    let valid = "the name of a PNG file of 64 by 64 points and at most 18 kB, or \"\"";
    section.text("favicon", valid, favicon, &mut minecraft.favicon);
    let upstream_ok = idle(&mut section, minecraft);
    limits(&mut section, &mut minecraft.limits);
    if upstream_ok && minecraft.upstream.is_some() && minecraft.players.is_empty() {
        document.contradiction([
            (
                KeyName::new("minecraft", "upstream"),
                "\"\", unless minecraft.players says who may play there".to_owned(),
            ),
            (KeyName::new("minecraft", "players"), String::new()),
        ]);
    }
}

/// Answers whether `players` is what the operator meant.
fn idle(section: &mut Section<'_, '_>, minecraft: &mut Minecraft) -> bool {
    let valid =
        "a server such as \"127.0.0.1:25566\" or \"mc.example.org:25565\", or \"\" for none";
    let upstream = |text: &str| match text {
        "" => Some(None),
        text => Upstream::parse(text).map(Some),
    };
    section.text("upstream", valid, upstream, &mut minecraft.upstream);
    let valid = "a name of 1 to 16 letters, digits and underscores";
    let mut players: Vec<LoginName> = Vec::new();
    let count = (0..=256, "names");
    let ok = section.texts("players", count, valid, LoginName::new, &mut players);
    for player in players {
        if !minecraft.players.contains(&player) {
            minecraft.players.push(player);
        }
    }
    let valid = "an address or a network such as \"192.168.0.0/16\"";
    let network = |text: &str| text.parse().ok();
    let clients = &mut minecraft.clients;
    section.texts("clients", (0..=64, "networks"), valid, network, clients);
    section.integer("sessions", 1..=256, "sessions", &mut minecraft.sessions);
    section.boolean("reconnect", &mut minecraft.reconnect);
    let unit = ("seconds; 0 is for ever", Duration::from_secs(1));
    section.duration(
        "away_limit_s",
        0..=31_536_000,
        unit,
        &mut minecraft.away_limit,
    );
    let view_distance = &mut minecraft.view_distance;
    section.integer("view_distance", 2..=32, "columns", view_distance);
    section.boolean("anti_afk", &mut minecraft.anti_afk);
    let AntiAfk { interval, steps } = &mut minecraft.moves;
    section.duration("anti_afk_interval_s", 1..=3600, SECONDS, interval);
    section.boolean("anti_afk_steps", steps);
    ok
}

fn limits(section: &mut Section<'_, '_>, limits: &mut Limits) {
    let Limits {
        columns,
        column_bytes,
        block_changes,
        partial_frames,
        entities,
        players,
        live_bytes,
        ..
    } = limits;
    let unit = "columns; 0 is as many as view_distance needs";
    section.integer("columns", 0..=16_384, unit, columns);
    section.integer("column_bytes", 65_536..=1_073_741_824, BYTES, column_bytes);
    section.integer("block_changes", 0..=65_536, "blocks", block_changes);
    section.integer("partial_frames", 0..=256, "frames", partial_frames);
    section.integer("entities", 0..=65_536, "entities", entities);
    section.integer("list_entries", 0..=65_536, "players", players);
    // Whatever is allowed in one frame has to fit.
    section.integer("live_bytes", 2_097_154..=268_435_456, BYTES, live_bytes);
}

fn motd(text: &str) -> Option<String> {
    let is_plain = |c: char| c == '\n' || !c.is_control();
    let fits = text.chars().count() <= MOTD && text.lines().count() <= 2;
    (fits && text.chars().all(is_plain)).then(|| text.to_owned())
}

fn favicon(path: &str) -> Option<Option<Favicon>> {
    if path.is_empty() {
        return Some(None);
    }
    let mut png = Vec::new();
    let most = Favicon::MAX_FILE as u64 + 1;
    File::open(path)
        .ok()?
        .take(most)
        .read_to_end(&mut png)
        .ok()?;
    Favicon::new(&png).ok().map(Some)
}

#[cfg(test)]
mod tests;

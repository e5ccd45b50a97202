//! A configuration in a few lines.

use super::{Config, Upstream};
use crate::net::tcp::TcpSettings;
use std::{fmt, net::SocketAddr};

/// What a [`Config`] would serve, one indented line per subject.
#[derive(Clone, Copy, Debug)]
pub struct Summary<'c>(&'c Config);

impl<'c> Summary<'c> {
    pub(super) fn new(config: &'c Config) -> Self {
        Self(config)
    }

    fn world(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Config {
            lists, web_hook, ..
        } = self.0;
        let hooks = match web_hook.urls.len() {
            0 => None,
            1 => Some("a web hook".to_owned()),
            count => Some(format!("{count} web hooks")),
        };
        let emulinker = lists.emulinker.then(|| "EmuLinker's list".to_owned());
        let kaillera = lists.kaillera.then(|| "Kaillera's list".to_owned());
        if self.0.updates.is_some() {
            writeln!(f, "  updates      looked for once a day")?;
        }
        let told: Vec<String> = [emulinker, kaillera, hooks].into_iter().flatten().collect();
        if !told.is_empty() {
            writeln!(f, "  tells        {}", told.join(", "))?;
        }
        Ok(())
    }

    fn log(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Config { log, .. } = self.0;
        match log.filter.as_str() {
            "" => write!(f, "  log          info, or as RUST_LOG says")?,
            filter => write!(f, "  log          {filter}")?,
        }
        match (&log.file, log.console) {
            (Some(file), true) => write!(f, ", also to {}", file.display()),
            (Some(file), false) => write!(f, ", to {} alone", file.display()),
            (None, true) => Ok(()),
            (None, false) => write!(f, ", to nowhere"),
        }
    }

    fn maple(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Config {
            maple,
            gateway,
            packet_log,
            ..
        } = self.0;
        if let Some(login) = gateway.login {
            let version = maple.profile.version;
            let region = format!("{:?}", maple.profile.region).to_uppercase();
            writeln!(f, "  gateway      to {login}, for {region} v{version}")?;
        }
        if let Some(log) = packet_log {
            let path = log.path.display();
            let secrets = if log.secrets {
                ", secrets included"
            } else {
                ""
            };
            writeln!(f, "  packet log   {path}{secrets}")?;
        }
        Ok(())
    }

    fn minecraft(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Config { minecraft, .. } = self.0;
        let shared = self.0.tcp.enabled && minecraft.on_shared_port;
        let shared = shared.then(|| format!("port {}", self.0.net.port));
        let own = minecraft.listen.iter().map(ToString::to_string);
        let places: Vec<String> = shared.into_iter().chain(own).collect();
        if places.is_empty() {
            return Ok(());
        }
        writeln!(f, "  minecraft    listed on {}", places.join(", "))?;
        if let Some(upstream) = &minecraft.upstream {
            let players = minecraft.players.len();
            let plural = if players == 1 { "" } else { "s" };
            let Upstream { host, port } = upstream;
            writeln!(
                f,
                "  idle service {players} player{plural} at {host}, port {port}"
            )?;
        }
        Ok(())
    }
}

impl fmt::Display for Summary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Config {
            net,
            rules,
            limits,
            tcp,
            http,
            ..
        } = self.0;
        let addresses = net
            .bind
            .iter()
            .map(|ip| SocketAddr::new(*ip, net.port).to_string());
        let addresses: Vec<String> = addresses.collect();
        let free = if net.port == 0 { ", any free port" } else { "" };
        let kinds = if tcp.enabled { "UDP and TCP" } else { "UDP" };
        writeln!(f, "  listens on   {} ({kinds}{free})", addresses.join(", "))?;
        if tcp.enabled {
            let TcpSettings {
                connections,
                connections_per_address,
                ..
            } = tcp.settings;
            let caps =
                format!("{connections} connections, {connections_per_address} of one address");
            writeln!(f, "  tcp          {caps} at most")?;
        }
        let http_listen = http.listen.iter().map(ToString::to_string);
        let shared = (tcp.enabled && http.on_shared_port).then(|| format!("port {}", net.port));
        let http: Vec<String> = shared.into_iter().chain(http_listen).collect();
        if !http.is_empty() {
            writeln!(f, "  http pages   on {}", http.join(", "))?;
        }
        self.maple(f)?;
        self.minecraft(f)?;
        self.world(f)?;
        if let Some(port) = net.announced_port {
            writeln!(f, "  announces    port {port}")?;
        }
        let (loops, workers) = (loops(net.loops), workers(net.workers));
        writeln!(f, "  threads      {loops} for the network, {workers}")?;
        let users = match rules.max_users {
            0 => limits.sessions,
            users => users as usize,
        };
        let ping = rules.max_ping.as_millis();
        writeln!(
            f,
            "  users        {users} at most, with a ping of {ping} ms at most"
        )?;
        let numbered = (1..=6u8).zip(rules.allowed_connection_types.0);
        let types = numbered.filter(|(_, allowed)| *allowed);
        let types: Vec<String> = types.map(|(number, _)| number.to_string()).collect();
        writeln!(f, "  connections  {}", types.join(", "))?;
        match rules.max_games {
            0 => write!(f, "  rooms        any number")?,
            games => write!(f, "  rooms        {games} at most")?,
        }
        writeln!(f, ", {} members each", rules.room_capacity)?;
        writeln!(f, "  charset      {}", rules.charset.name())?;
        writeln!(f, "  language     {}", rules.language.code())?;
        let lines = rules.welcome.len();
        let plural = if lines == 1 { "" } else { "s" };
        writeln!(f, "  welcome      {lines} line{plural}")?;
        self.log(f)
    }
}

fn loops(count: usize) -> String {
    match count {
        0 => "half the cores".to_owned(),
        count => count.to_string(),
    }
}

fn workers(count: usize) -> String {
    match count {
        0 => "which also run the games".to_owned(),
        count => format!("{count} for the games"),
    }
}

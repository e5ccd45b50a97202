//! The sections about Maple: who is served, in front of which servers, and the packet log.

use super::{
    document::{Document, KeyName},
    section::{BYTES, SECONDS, Section},
};
use crate::{
    maple::{IvPolicy, Lookahead, Opcodes, Profile, Region},
    service::{
        gateway::{self, Advertise, Filter, Listener, Public, Rate, Route, Routes},
        maple::Greeting,
        packet_log,
    },
};
use std::{
    net::{IpAddr, SocketAddr},
    path::PathBuf,
    time::Duration,
};

/// Which Maple clients are served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Maple {
    /// What they speak.
    pub profile: Profile,
    /// What they are told their release is.
    pub patch: String,
    /// How first IVs are chosen.
    pub iv_policy: IvPolicy,
    /// The longest payload taken from one, in bytes.
    pub longest: usize,
    /// Keystreams made before their packets.
    pub lookahead: Lookahead,
    /// The opcodes of their version, where the table has none as the operator says.
    pub opcodes: Opcodes,
}

impl Maple {
    /// What they are greeted with.
    pub fn greeting(&self) -> Greeting {
        Greeting {
            profile: self.profile,
            patch: self.patch.clone(),
            iv_policy: self.iv_policy,
        }
    }
}

impl Default for Maple {
    fn default() -> Self {
        Self {
            profile: Profile::GMS_83,
            patch: "1".to_owned(),
            iv_policy: IvPolicy::Random,
            longest: 32 << 10,
            lookahead: Lookahead {
                packets: 0,
                bytes: 64,
            },
            opcodes: Opcodes::find(Region::Gms, 83).unwrap_or_default(),
        }
    }
}

/// In front of which Maple servers the gateway is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gateway {
    /// The login server; without one there is no gateway.
    pub login: Option<SocketAddr>,
    /// Where game servers may be; empty is wherever the login server is.
    pub channels: Vec<Route>,
    /// Whether on the server's own port, for those who say nothing there.
    pub on_shared_port: bool,
    /// Listeners of its own.
    pub listen: Vec<Listener>,
    /// What clients are told.
    pub advertise: Advertise,
    /// Whether clients that are sent where no route leads are cut off.
    pub close_unrouted: bool,
    /// Whether a character may come back from another address.
    pub any_client: bool,
    /// Clients of one address that have not said what they want.
    pub undecided_per_address: usize,
    /// How long they may take.
    pub undecided_timeout: Duration,
    /// How long a client may say nothing.
    pub idle_timeout: Duration,
    /// How much a client may say.
    pub rate: Rate,
    /// Opcodes of clients that pass; empty is all.
    pub allow_opcodes: Vec<u16>,
    /// Opcodes of clients that do not pass.
    pub deny_opcodes: Vec<u16>,
    /// Whether servers on loopback addresses see a source address per client.
    pub source_per_client: bool,
    /// Whether servers get a PROXY header.
    pub proxy_protocol: bool,
}

impl Gateway {
    /// What the service is told; `None` without a login server.
    pub(super) fn settings(
        &self,
        maple: &Maple,
        public_port: Option<u16>,
    ) -> Option<gateway::Settings> {
        let allow = self.allow_opcodes.clone();
        Some(gateway::Settings {
            greeting: maple.greeting(),
            opcodes: maple.opcodes,
            routes: Routes::new(self.login?, self.channels.clone()),
            public: Public {
                address: self.advertise,
                port: public_port,
            },
            listeners: self.listen.clone(),
            close_unrouted: self.close_unrouted,
            any_client: self.any_client,
            undecided_per_address: self.undecided_per_address,
            undecided_timeout: self.undecided_timeout,
            idle_timeout: self.idle_timeout,
            rate: self.rate,
            filter: match (allow.is_empty(), self.deny_opcodes.is_empty()) {
                (true, true) => Filter::All,
                (true, false) => Filter::Deny(self.deny_opcodes.clone()),
                (false, _) => Filter::Allow(allow),
            },
            longest: maple.longest,
            source_per_client: self.source_per_client,
            proxy_protocol: self.proxy_protocol,
            lookahead: maple.lookahead,
        })
    }
}

impl Default for Gateway {
    fn default() -> Self {
        Self {
            login: None,
            channels: Vec::new(),
            on_shared_port: true,
            listen: Vec::new(),
            advertise: Advertise::Arrived,
            close_unrouted: false,
            any_client: false,
            undecided_per_address: 16,
            undecided_timeout: Duration::from_secs(600),
            idle_timeout: Duration::from_secs(120),
            rate: Rate::default(),
            allow_opcodes: Vec::new(),
            deny_opcodes: Vec::new(),
            source_per_client: false,
            proxy_protocol: false,
        }
    }
}

/// The packet log as it is when no key says otherwise, but for the file.
pub(super) fn default_log() -> packet_log::Settings {
    packet_log::Settings {
        path: PathBuf::new(),
        form: packet_log::Form::Json,
        max_bytes: 64 << 20,
        keep: 4,
        clients: Vec::new(),
        secrets: false,
    }
}

const REGIONS: &[(&str, Region)] = &[
    ("gms", Region::Gms),
    ("kms", Region::Kms),
    ("kmst", Region::Kmst),
    ("ims", Region::Ims),
    ("jms", Region::Jms),
    ("cms", Region::Cms),
    ("cmst", Region::Cmst),
    ("tms", Region::Tms),
    ("msea", Region::Msea),
    ("thms", Region::Thms),
    ("vms", Region::Vms),
    ("ems", Region::Ems),
    ("bms", Region::Bms),
];

const IV_POLICIES: &[(&str, IvPolicy)] = &[
    ("random", IvPolicy::Random),
    ("classic", IvPolicy::Classic),
    ("cycle", IvPolicy::ShortCycle),
    ("fixed", IvPolicy::Fixed),
];

fn named<T: Copy>(names: &[(&str, T)], text: &str) -> Option<T> {
    let mut names = names.iter();
    let found = names.find(|(name, _)| name.eq_ignore_ascii_case(text));
    found.map(|&(_, it)| it)
}

pub(super) fn maple(document: &mut Document<'_>, maple: &mut Maple) {
    let mut section = document.section("maple");
    let (mut region, mut version) = (maple.profile.region, maple.profile.version);
    let regions = "gms, kms, kmst, ims, jms, cms, cmst, tms, msea, thms, vms, ems or bms";
    let name = |text: &str| named(REGIONS, text);
    let region_ok = section.text("region", regions, name, &mut region);
    let version_ok = section.integer("version", 1..=65_535, "version", &mut version);
    let valid = "a text of at most 16 letters, digits, dots and colons";
    let patch = |text: &str| {
        let fits = text.len() <= Greeting::LONGEST_PATCH;
        let is_plain = |c: u8| c.is_ascii_alphanumeric() || b".:".contains(&c);
        (fits && text.bytes().all(is_plain)).then(|| text.to_owned())
    };
    section.text("patch", valid, patch, &mut maple.patch);
    let policies = "random, classic, cycle or fixed";
    let policy = |text: &str| named(IV_POLICIES, text);
    section.text("iv_policy", policies, policy, &mut maple.iv_policy);
    section.integer("max_packet", 256..=65_535, BYTES, &mut maple.longest);
    let most = Lookahead::MAX_PACKETS as u64;
    let Lookahead { packets, bytes } = &mut maple.lookahead;
    section.integer("keystreams_ahead", 0..=most, "packets; 0 is none", packets);
    section.integer("keystream_bytes", 16..=1460, BYTES, bytes);

    maple.opcodes = Opcodes::find(region, version).unwrap_or_default();
    let Opcodes {
        select_result,
        select_by_vac_result,
        migrate_command,
        ping,
        login: _,
        migrate_in,
        pong,
    } = &mut maple.opcodes;
    for (key, opcode) in [
        ("select_result", select_result),
        ("select_by_vac_result", select_by_vac_result),
        ("migrate_command", migrate_command),
        ("migrate_in", migrate_in),
        ("ping", ping),
        ("pong", pong),
    ] {
        section.optional_integer(key, 0..=65_535, "opcode", opcode);
    }
    if !region_ok || !version_ok {
        return;
    }
    match Profile::find(region, version) {
        Some(profile) => maple.profile = profile,
        None => document.contradiction([
            (
                KeyName::new("maple", "version"),
                "one of that region whose key is known".to_owned(),
            ),
            (
                KeyName::new("maple", "region"),
                format!("one whose version {version} has a known key"),
            ),
        ]),
    }
}

pub(super) fn gateway(document: &mut Document<'_>, gateway: &mut Gateway, opcodes: &Opcodes) {
    let mut section = document.section("gateway");
    let valid = "an address with a port such as \"127.0.0.1:8484\", or \"\" for no gateway";
    let login = |text: &str| match text {
        "" => Some(None),
        text => text.parse().ok().map(Some),
    };
    section.text("login", valid, login, &mut gateway.login);
    let valid = "\"ADDRESS:FIRST-LAST\", with \" => HOST\" behind it if they are elsewhere";
    let route = |text: &str| text.parse().ok();
    section.texts(
        "channels",
        (0..=64, "routes"),
        valid,
        route,
        &mut gateway.channels,
    );
    section.boolean("on_shared_port", &mut gateway.on_shared_port);
    let valid = "\"ADDRESS:PORT\", with \" => PUBLIC\" behind it if who comes there is told \
                 another address";
    let listener = |text: &str| text.parse().ok();
    section.texts(
        "listen",
        (0..=16, "addresses"),
        valid,
        listener,
        &mut gateway.listen,
    );
    let valid = "\"arrived\", \"keep\" or an IPv4 address";
    let advertise = |text: &str| text.parse().ok();
    section.text("public_address", valid, advertise, &mut gateway.advertise);
    section.boolean("close_unrouted", &mut gateway.close_unrouted);
    section.boolean("any_client", &mut gateway.any_client);
    section.boolean("source_per_client", &mut gateway.source_per_client);
    section.boolean("proxy_protocol", &mut gateway.proxy_protocol);
    limits(&mut section, gateway);

    let knows = |opcode: Option<u16>| opcode.is_some();
    let complete = knows(opcodes.migrate_in)
        && (knows(opcodes.select_result) || knows(opcodes.migrate_command));
    if gateway.login.is_some() && !complete {
        let valid = "\"\", unless maple.migrate_in, maple.select_result and \
                     maple.migrate_command say the opcodes of this version";
        document.contradiction([
            (KeyName::new("gateway", "login"), valid.to_owned()),
            (KeyName::new("maple", "version"), String::new()),
        ]);
    }
}

fn limits(section: &mut Section<'_, '_>, gateway: &mut Gateway) {
    let Gateway {
        undecided_per_address: undecided,
        undecided_timeout,
        idle_timeout,
        rate,
        allow_opcodes,
        deny_opcodes,
        ..
    } = gateway;
    section.integer("undecided_per_address", 1..=65_535, "clients", undecided);
    section.duration(
        "undecided_timeout_s",
        1..=86_400,
        SECONDS,
        undecided_timeout,
    );
    section.duration("idle_timeout_s", 1..=86_400, SECONDS, idle_timeout);
    let unit = "packets per second; 0 is no limit";
    section.integer("packets_per_second", 0..=1_000_000, unit, &mut rate.packets);
    let unit = "bytes per second; 0 is no limit";
    section.integer("bytes_per_second", 0..=1_000_000_000, unit, &mut rate.bytes);
    let count = (0..=256, "opcodes");
    section.integers("allow_opcodes", count.clone(), 0..=65_535, allow_opcodes);
    section.integers("deny_opcodes", count, 0..=65_535, deny_opcodes);
}

pub(super) fn packet_log(document: &mut Document<'_>, log: &mut Option<packet_log::Settings>) {
    let mut section = document.section("packet_log");
    let mut settings = default_log();
    let path = |text: &str| Some(PathBuf::from(text));
    section.text("file", "a file's name, or \"\"", path, &mut settings.path);
    let form = |text: &str| match text {
        "json" => Some(packet_log::Form::Json),
        "text" => Some(packet_log::Form::Text),
        _ => None,
    };
    section.text("form", "json or text", form, &mut settings.form);
    let max_bytes = &mut settings.max_bytes;
    section.integer("max_bytes", 65_536..=1_099_511_627_776, BYTES, max_bytes);
    section.integer("keep", 0..=100, "files", &mut settings.keep);
    let mut clients: Vec<IpAddr> = Vec::new();
    let address = |text: &str| text.parse().ok();
    let valid = "an IPv4 or IPv6 address";
    section.texts(
        "clients",
        (0..=64, "addresses"),
        valid,
        address,
        &mut clients,
    );
    settings.clients = clients;
    section.boolean("secrets", &mut settings.secrets);
    *log = (!settings.path.as_os_str().is_empty()).then_some(settings);
}

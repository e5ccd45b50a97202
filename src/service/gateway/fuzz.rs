//! One function that no input may make panic: a client and a server of the gateway, both hostile.

use super::{Advertise, Filter, GatewayService, Public, Rate, Routes, Settings};
use crate::{
    buffer::Writer,
    maple::{Codec, Decoded, Direction, Hello, IvPolicy, Lookahead, Opcodes, Profile, Release},
    net::tcp::{ConnectionId, Rehearsal, TcpSettings},
    service::maple::Greeting,
};
use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};

/// Settings for tests: GMS v83 in front of 127.0.0.1:8484, clients sent to 203.0.113.10:8484.
pub fn settings() -> Settings {
    let profile = Profile::GMS_83;
    Settings {
        greeting: Greeting {
            profile,
            patch: "1".to_owned(),
            iv_policy: IvPolicy::Random,
        },
        opcodes: Opcodes::find(profile.region, profile.version).unwrap_or_default(),
        routes: Routes::new(SocketAddr::from(([127, 0, 0, 1], 8484)), Vec::new()),
        public: Public {
            address: Advertise::Address(Ipv4Addr::new(203, 0, 113, 10)),
            port: Some(8484),
        },
        listeners: Vec::new(),
        close_unrouted: false,
        any_client: false,
        undecided_per_address: 16,
        undecided_timeout: Duration::from_secs(600),
        idle_timeout: Duration::from_secs(120),
        rate: Rate::default(),
        filter: Filter::All,
        longest: 32 << 10,
        source_per_client: false,
        proxy_protocol: false,
        lookahead: Lookahead::OFF,
    }
}

/// Runs `input` as two peers: each piece begins with a byte that says which side it is (its
/// lowest bit), whether it is a payload to be encrypted first (the next), and how long it is.
pub fn gateway(input: &[u8]) {
    let mut settings = settings();
    // What was found can be run again.
    settings.greeting.iv_policy = IvPolicy::Fixed;
    let service = GatewayService::new(Arc::new(settings), Arc::default(), Arc::default());
    let tcp = TcpSettings {
        outgoing: 4,
        ..TcpSettings::default()
    };
    let mut net = Rehearsal::new(service, tcp);
    let mut peers = Peers::new(&mut net);
    let mut rest = input;
    while let Some((&head, body)) = rest.split_first() {
        let len = usize::from(head >> 2).min(body.len());
        let (piece, later) = body.split_at(len);
        rest = later;
        peers.say(&mut net, head & 1 != 0, head & 2 != 0, piece);
    }
    net.wait(Duration::from_secs(700));
}

/// Both sides of the gateway.
struct Peers {
    client: ConnectionId,
    server: Option<ConnectionId>,
    to_server: Option<crate::maple::Encoder>,
    to_client: crate::maple::Encoder,
    from_gateway: Option<crate::maple::Decoder>,
}

impl Peers {
    fn new(net: &mut Rehearsal) -> Self {
        let client = net.open();
        let greeting = net.take_sent(client);
        let codec = Codec::new(Profile::GMS_83);
        let hello = Hello::parse(Profile::GMS_83.hello, &greeting)
            .ok()
            .flatten();
        let iv = IvPolicy::Fixed.choose([0; 8]).0;
        Self {
            client,
            server: None,
            to_server: hello.map(|(it, _)| codec.encoder(Direction::ToServer, it.to_server)),
            to_client: codec.encoder(Direction::ToClient, iv),
            from_gateway: hello.map(|(it, _)| codec.decoder(Direction::ToClient, it.to_client)),
        }
    }

    fn say(&mut self, net: &mut Rehearsal, is_server: bool, encrypts: bool, piece: &[u8]) {
        let mut bytes = [&[0; 4], piece].concat();
        let encoder = match is_server {
            true => Some(&mut self.to_client),
            false => self.to_server.as_mut(),
        };
        let bytes = match encoder.filter(|_| encrypts) {
            // Too long for a header it cannot be.
            Some(encoder) => encoder.encode(&mut bytes).map_or(piece, |()| &bytes),
            None => piece,
        };
        match (is_server, self.server) {
            (false, _) => _ = net.receive(self.client, bytes),
            (true, Some(server)) => _ = net.receive(server, bytes),
            (true, None) => {}
        }
        self.follow(net);
    }

    /// Takes the connection the gateway makes, says a good hello there, and checks that what the
    /// client gets is a stream it understands.
    fn follow(&mut self, net: &mut Rehearsal) {
        let server = ConnectionId {
            index: 1,
            generation: 0,
        };
        if self.server.is_none() && net.is_open(server) {
            self.server = Some(server);
            net.take(server);
            let mut room = [0; 16];
            let (to_server, to_client) = IvPolicy::Fixed.choose([0; 8]);
            let hello = Hello {
                version: 83,
                release: Release::Patch(b"1"),
                to_server,
                to_client,
                locale: 8,
                more: &[],
            };
            if hello.write(&mut Writer::new(&mut room)).is_ok() {
                net.receive(server, &room);
            }
        }
        let mut sent = net.take_sent(self.client);
        let mut rest = &mut sent[..];
        while let Some(decoder) = &mut self.from_gateway
            && !rest.is_empty()
        {
            let taken = match decoder.decode(rest) {
                Ok(Decoded::Packet { frame_len, .. }) => frame_len,
                other => {
                    debug_assert!(false, "the client got {other:?}");
                    return;
                }
            };
            rest = rest.get_mut(taken..).unwrap_or_default();
        }
    }
}

//! A server inside this program, and four players.

use super::{
    Report, Title, Venue,
    games::{DELAY, Lineup},
};
use crate::{
    client::Inputs,
    measure::Answers,
    options::{self, Asked},
    run::Plan,
};
use samara::{config::Config, kaillera::message::ConnectionType, server::Server};
use std::{io, net::Ipv4Addr, time::Duration};

const PLAYERS: u32 = 4;
const SETTLE: Duration = Duration::from_millis(500);

pub(super) fn run(asked: &Asked, demo: &options::Demo) -> io::Result<Report> {
    let mut config = Config::default();
    config.net.set_bind([Ipv4Addr::LOCALHOST.into()]);
    config.net.port = 0;
    config.net.loops = 1;
    let server = Server::start(&config).map_err(io::Error::other)?;
    let target = server.addresses().first().copied();
    let lineup = Lineup {
        target: target.ok_or(io::ErrorKind::AddrNotAvailable)?,
        users: PLAYERS,
        players: PLAYERS,
        conn: ConnectionType::Lan,
        inputs: Inputs::Held(66, 4),
        seed: 1,
        threads: 1,
        login_rate: 20,
    };
    if !demo.output.quiet {
        println!(
            "A server listens on {}; four players share a room and play at 60 frames a second.",
            lineup.target
        );
    }
    let plan = Plan {
        logins: lineup.logins(),
        settle: SETTLE,
        duration: demo.duration,
        server: None,
        quiet: demo.output.quiet,
        step: None,
    };
    let venue = Venue::new();
    let parties = lineup.parties(venue.clock, &venue.signals)?;
    let outcome = venue.run(&plan, parties)?;
    server.stop();
    let title = Title {
        scenario: "demo",
        delay: DELAY,
        answers: Answers::Frames,
    };
    Ok(title.report(asked, demo.limits.stated(None), &outcome))
}

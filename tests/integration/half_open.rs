//! Logins that are begun and not finished: few, short-lived, and useless as an amplifier
//! (kaillera-server.md 15, 3).

use crate::support::{Identity, Player, config, serve, wait_until};
use samara::{
    config::Config,
    kaillera::message::{ClientMessage, ServerMessage},
    metrics::Reason,
};
use std::{
    net::{IpAddr, Ipv4Addr},
    time::Duration,
};

fn small() -> Config {
    let mut config = config();
    config.limits.half_open = 6;
    config.limits.half_open_per_address = 4;
    config.link.login_timeout = Duration::from_millis(1500);
    config
}

fn begin(player: &mut Player) {
    player.introduce();
    player.expect_message(&ServerMessage::ServerAck);
}

/// Linux has all of 127.0.0.0/8 on loopback.
#[cfg(target_os = "linux")]
#[test]
fn bounded_per_address_and_in_all_until_they_expire() {
    let host = |n| IpAddr::V4(Ipv4Addr::new(127, 0, 0, n));
    let (server, address) = serve(&small());
    let begun = |n: u8, name: &str| {
        let mut player = Player::on(host(n), address, &Identity::new(name));
        begin(&mut player);
        player
    };
    let refused = |n: u8, name: &str| {
        let before = server.drops().count(Reason::TooManyLogins);
        let mut player = Player::on(host(n), address, &Identity::new(name));
        player.introduce();
        player.ping();
        wait_until("a drop", || {
            server.drops().count(Reason::TooManyLogins) == before + 1
        });
        player.ping();
        assert!(player.passed.is_empty(), "{player} is not answered");
    };
    let _first: Vec<_> = (0..4).map(|n| begun(1, &format!("One {n}"))).collect();
    refused(1, "One too many");
    let mut second: Vec<_> = (0..2).map(|n| begun(2, &format!("Two {n}"))).collect();
    refused(2, "Two too many");
    refused(3, "Three");
    assert_eq!(server.sessions(), 6);

    // One that goes on is let in, and makes room.
    let mut kept = second.pop().unwrap();
    for _ in 0..4 {
        kept.send(&ClientMessage::ClientAck);
    }
    kept.expect("own UserJoined", |message| {
        matches!(message, ServerMessage::UserJoined { .. }).then_some(())
    });
    begun(3, "Three again");

    wait_until("the end of all others", || server.sessions() == 1);
    for n in 0..3 {
        let mut player = Player::log_in(address, &Identity::new(format!("Later {n}")));
        player.echo(b"in");
    }
    kept.echo(b"still here");
}

/// Everything that comes back in three seconds from an address that has not answered an ack
/// or has only guessed: never more than three times what it sent, repeats included.
#[test]
fn answers_to_an_unproven_address_stay_small() {
    let (_server, address) = serve(&config());
    // How many acks it guesses, and how often it says its last bundle again.
    let cases = [
        ("a", 0, 0),
        ("a name of almost thirty bytes", 0, 0),
        ("acks", 3, 0),
        ("repeats", 0, 20),
        ("acks and repeats", 2, 20),
    ];
    std::thread::scope(|scope| {
        for (name, acks, repeats) in cases {
            let mut player = Player::new(address, &Identity::new(name).emulator(""));
            player.introduce();
            (0..acks).for_each(|_| player.send(&ClientMessage::ClientAck));
            (0..repeats).for_each(|_| player.repeat());
            scope.spawn(move || {
                player.listen(Duration::from_secs(3));
                let (sent, received) = (player.bytes_out, player.bytes_in);
                assert!(received > 0, "{name}");
                assert!(received <= 3 * sent, "{name}: {received} for {sent}");
            });
        }
    });
}

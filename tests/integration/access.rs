//! Who may come in, by the operator's rules (kaillera-server.md 5.4).

use crate::support::{Identity, Player, config, serve, wait_until};
use samara::{
    access::Rules,
    config::Config,
    kaillera::{connect::Reply, message::ServerMessage},
    metrics::Reason,
    server::Server,
};
use std::{net::SocketAddr, path::PathBuf, sync::Arc, time::Duration};

fn with_rules(text: &str) -> Config {
    let parsed = Rules::parse(text);
    assert_eq!(parsed.mistakes, []);
    let mut config = config();
    config.access.rules = Arc::new(parsed.rules);
    config
}

/// A client from this address is answered when it says hello, and then never again.
fn is_barred(server: &Server, address: SocketAddr) {
    let mut player = Player::new(address, &Identity::new("Ann"));
    player.send_raw(b"HELLO0.83\0");
    assert!(matches!(player.reply(), Reply::Port(_)));
    let before = server.drops().count(Reason::Barred);
    player.introduce();
    wait_until("a drop", || server.drops().count(Reason::Barred) > before);
    assert_eq!(server.sessions(), 0);
}

#[test]
fn an_address_that_rules_keep_out_gets_no_session() {
    let (server, address) = serve(&with_rules("ipaddress,DENY,127.0.0.0/8\nipaddress,ALLOW,*"));
    is_barred(&server, address);
    let (_server, address) = serve(&with_rules("ipaddress,ALLOW,127.*\nipaddress,DENY,*"));
    Player::log_in(address, &Identity::new("Ann"));
}

#[test]
fn a_rule_may_name_a_host() {
    let mut config = with_rules("ipaddress,DENY,dns:localhost");
    config.link.login_timeout = Duration::from_millis(200);
    let (server, address) = serve(&config);
    // Until the name is known, the rule matches nobody.
    wait_until("the name", || {
        Player::new(address, &Identity::new("Ann")).introduce();
        server.drops().count(Reason::Barred) > 0
    });
    wait_until("the end of all sessions", || server.sessions() == 0);
    is_barred(&server, address);
}

#[test]
fn everybody_hears_of_a_user_with_an_announcement() {
    let (_server, address) = serve(&with_rules("user,ADMIN,127.0.0.1,Duty admin is here"));
    let mut ann = Player::log_in(address, &Identity::new("Ann"));
    Player::log_in(address, &Identity::new("Bob"));
    ann.expect_message(&ServerMessage::InformationMessage {
        source: b"server",
        text: b"Duty admin is here",
    });
}

fn state_file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()))
}

#[test]
fn a_ban_of_an_earlier_process_holds_in_spite_of_an_allow_all_rule() {
    let path = state_file("bans.json");
    std::fs::write(&path, "{\"bans\": [{\"address\": \"127.0.0.1\"}]}").unwrap();
    let mut config = with_rules("ipaddress,ALLOW,*");
    config.access.state = Some(path.clone());
    let (server, address) = serve(&config);
    is_barred(&server, address);
    drop(server);
    // Long over.
    std::fs::write(
        &path,
        "{\"bans\": [{\"address\": \"127.0.0.1\", \"until\": 1}]}",
    )
    .unwrap();
    let (_server, address) = serve(&config);
    Player::log_in(address, &Identity::new("Ann"));
    // Whoever was banned must not come in because a file is broken.
    std::fs::write(&path, "{\"bans\": [{\"address\": \"127.0.0.1\"").unwrap();
    let error = Server::start(&config).unwrap_err().to_string();
    assert!(error.contains("bans.json"), "{error}");
    std::fs::remove_file(&path).unwrap();
}

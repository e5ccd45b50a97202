//! Everybody's commands in the lobby (kaillera-server.md 7.3).

use super::{Hall, Speaks, cases, host, staffed};
use crate::support::Player;
use samara::{access::AccessLevel, kaillera::message::ServerMessage};
use std::time::Duration;

cases! {
    the_server_tells_of_itself: Lobby "/help" "/version" "/myip" "/alivecheck";
    users_write_to_each_other: Lobby "/msg" "/msgon" "/msgoff";
    users_say_what_they_do: Lobby "/me";
    one_is_ignored: Lobby "/ignore" "/unignore";
    everyone_is_ignored: Lobby "/ignoreall" "/unignoreall";
    users_are_found: Lobby "/finduser";
    rooms_are_entered_with_a_word: Lobby "/password" "/watch";
}

fn the_server_tells_of_itself() {
    let hall = Hall::new();
    let mut ann = hall.user("Ann");
    let version = format!("VERSION: Samara: {}", env!("CARGO_PKG_VERSION"));
    ann.answered("/version", &version);
    let own = format!("Your address: {}", host(AccessLevel::Normal, 1));
    ann.answered("/myip", &own);
    ann.answered("  /MyIp  ", &own);
    assert!(ann.answers("/alivecheck")[0].starts_with(":ALIVECHECK="));
    ann.answered("/nonsense 1", "No such command: /nonsense 1");
    ann.answered("/myipx", "No such command: /myipx");
    // Who may do more is told of more, and of nothing twice.
    let words = |mut player: Player| -> Vec<String> {
        let help = player.answers("/help");
        let word = |line: &String| line.split(' ').next().unwrap().to_owned();
        let words: Vec<String> = help.iter().map(word).collect();
        for word in &words {
            let times = words.iter().filter(|it| *it == word).count();
            assert_eq!(times, 1, "{word}");
        }
        words
    };
    let users = words(ann);
    assert_eq!(users.len(), 15);
    assert_eq!(words(hall.moderator("Mod"))[15..], ["/kick", "/silence"]);
    let admins = words(hall.admin("Boss"));
    assert!(users.iter().all(|word| admins.contains(word)));
    assert!(admins.contains(&"/ban".to_owned()) && !admins.contains(&"/tempadmin".to_owned()));
    let supers = words(hall.super_admin("Root"));
    assert_eq!(
        supers[admins.len()..],
        ["/tempelevated", "/tempmoderator", "/tempadmin"]
    );
}

fn users_write_to_each_other() {
    let hall = Hall::new();
    let (mut ann, mut bob) = (hall.user("Ann"), hall.user("Bob"));
    for (line, answer) in [
        ("/msg", "Use: /msg <id> <text>"),
        (
            "/msg hi",
            "You have no one to answer yet; use: /msg <id> <text>",
        ),
        ("/msg 99 hi", "No user 99"),
        ("/msg 1 hi", "You cannot write to yourself."),
        (
            "/msg 2 a\u{1}b",
            "Not sent: the text has characters that are not allowed",
        ),
    ] {
        ann.answered(line, answer);
    }
    let long = format!("/msg 2 {}", "x".repeat(321));
    ann.answered(&long, "Not sent: the text is too long");
    ann.answered(
        "/msg  2   psst  there",
        "TO: <Bob>(2) <Ann> (1): psst  there",
    );
    bob.told("<Ann> (1): psst  there");
    bob.says("/msg what");
    ann.told("<Bob> (2): what");
    bob.answered("/msgoff", "You refuse private messages.");
    ann.answered("/msg still there", "Bob refuses private messages.");
    bob.answered("/msgon", "You accept private messages.");
    ann.says("/msg again");
    bob.told("<Ann> (1): again");
    bob.says("/ignore 1");
    ann.told("Bob (2) ignores Ann (1) now.");
    ann.answered("/msg please", "Bob ignores you.");
    assert_eq!(ann.answers("/msg 2"), [""; 0]);
}

fn users_say_what_they_do() {
    let hall = Hall::new();
    let (mut ann, mut bob) = (hall.user("Ann"), hall.user("Bob"));
    ann.answered("/ME  waves", "*Ann waves");
    bob.told("*Ann waves");
    // A line that begins with a colon would be data to some clients.
    ann.says("/me :nods");
    bob.told("*Ann nods");
    ann.answered("/me", "Use: /me <text>");
    let long = format!("/me {}", "x".repeat(151));
    ann.answered(&long, "Not sent: the text is too long");
    bob.says("/ignore 1");
    ann.told("Bob (2) ignores Ann (1) now.");
    ann.answered("/me sighs", "*Ann sighs");
    bob.never_saw("sighs");
    ann.says("/mean x");
    ann.told("No such command: /mean x");
}

fn one_is_ignored() {
    let hall = Hall::new();
    let (mut ann, mut bob, mut cid) = (hall.user("Ann"), hall.user("Bob"), hall.user("Cid"));
    hall.moderator("Mod");
    for (line, answer) in [
        ("/ignore", "Use: /ignore <id>"),
        ("/ignore Bob", "Use: /ignore <id>"),
        ("/ignore -2", "Use: /ignore <id>"),
        ("/ignore 9", "No user 9"),
        ("/ignore 1", "You cannot ignore yourself."),
        ("/ignore 4", "Moderators and admins cannot be ignored."),
        ("/unignore", "Use: /unignore <id>"),
        ("/unignore 9", "No user 9"),
        ("/unignore 2", "You do not ignore Bob."),
    ] {
        ann.answered(line, answer);
    }
    ann.answered("/ignore 2", "Ann (1) ignores Bob (2) now.");
    bob.told("Ann (1) ignores Bob (2) now.");
    cid.told("Ann (1) ignores Bob (2) now.");
    ann.answered("/ignore 2", "You ignore Bob already.");
    bob.says("hello");
    cid.hears("Bob", "hello");
    ann.never_saw("hello");
    ann.answered("/unignore 2", "Ann (1) no longer ignores Bob (2).");
    cid.told("Ann (1) no longer ignores Bob (2).");
    bob.says("hello");
    ann.hears("Bob", "hello");
}

fn everyone_is_ignored() {
    let hall = Hall::new();
    let (mut ann, mut bob, mut boss) = (hall.user("Ann"), hall.user("Bob"), hall.admin("Boss"));
    ann.answered("/ignoreall", "Ann (1) ignores everyone now.");
    bob.told("Ann (1) ignores everyone now.");
    bob.says("hello");
    bob.says("/me waves");
    bob.hears("Bob", "hello");
    bob.told("*Bob waves");
    bob.answered("/msg 1 hello", "Ann ignores you.");
    boss.says("order");
    ann.hears("Boss", "order");
    boss.says("/me nods");
    ann.told("*Boss nods");
    ann.never_saw("hello");
    ann.never_saw("waves");
    ann.answered("/unignoreall", "Ann (1) no longer ignores everyone.");
    bob.told("Ann (1) no longer ignores everyone.");
    bob.says("hello");
    ann.hears("Bob", "hello");
}

fn users_are_found() {
    let hall = Hall::new();
    let mut ann = hall.user("Ann");
    let (mut moderator, mut boss) = (hall.moderator("Mod"), hall.admin("Boss"));
    let room = boss.create(b"Game");
    ann.answered("/finduser", "Use: /finduser <text>");
    ann.answered("/finduser zz", "Nothing matches.");
    let found = format!(
        "UserID: 3, Nick: <Boss>, Access: {{}}, GameID: {}, Game: Game",
        room.0
    );
    ann.answered("/finduser OS", &found.replace("{}", "Normal"));
    moderator.answered("/finduser boss", &found.replace("{}", "Admin"));
    ann.answered("/finduser nn", "UserID: 1, Nick: <Ann>, Access: Normal");
    assert_eq!(moderator.answers("/finduser o").len(), 2);
    // Addresses are for admins.
    let own = host(AccessLevel::Normal, 1);
    let found = format!("UserID: 1, IP: {own}, Nick: <Ann>, Access: Normal");
    boss.answered("/finduser ann", &found);
    boss.answered("/finduser", "Command failed: /finduser <text>");
}

fn rooms_are_entered_with_a_word() {
    let hall = Hall::new();
    let (mut ann, mut bob) = (hall.user("Ann"), hall.user("Bob"));
    let room = ann.create(b"Game");
    ann.answered_here("/password secret", "The room asks for a password now.");
    let usage = "Use: /password <word> gives the password of the room you join next";
    bob.answered("/password", usage);
    bob.answered("/password two words", usage);
    let knock = |bob: &mut Player, refusal: &str| {
        bob.send(&samara::kaillera::message::ClientMessage::JoinGame { game: room });
        bob.told(&format!("You cannot join: {refusal}"));
        bob.leaves_room();
    };
    knock(
        &mut bob,
        "this room asks for a password; type /password <...> first",
    );
    bob.answered("/password wrong", "Password noted; join the room now.");
    knock(&mut bob, "the password is wrong");
    bob.answered("/password secret", "Password noted; join the room now.");
    bob.join(room);
    bob.quit_game();
    bob.leaves_room();
    ann.says_here("/password off");
    ann.noticed("The room asks for no password any more.");
    bob.answered("/watch", "Use: /watch <room> lets you watch a game");
    bob.answered("/watch 99", "this room is gone");
    let next = format!("Join room {} now to watch it.", room.0);
    bob.answered(&format!("/watch {}", room.0), &next);
    bob.join(room);
    ann.answered_here("/num", "Members: 1");
}

#[test]
fn ordinary_users_wait_between_lines_and_after_they_came() {
    let mut config = staffed();
    config.rules.chat_flood = Duration::from_secs(600);
    let hall = Hall::with(&config);
    let mut ann = hall.user("Ann");
    ann.says("hello");
    ann.told("Not sent: you are sending too fast");
    ann.says("/myip");
    ann.told("Command refused: you are silenced, or sending too fast.");
    let room = ann.create(b"Game");
    // What clients send by themselves right after they opened a room.
    for line in [
        "/maxusers 4",
        "/maxping 200",
        "/setemu",
        "/setconn",
        "/p2pon",
    ] {
        ann.says_here(line);
    }
    ann.noticed("The room takes 4 members.");
    ann.noticed("The room takes pings up to 200 ms.");
    ann.noticed("The room takes only the emulator EMU 1.0.");
    ann.noticed("The room takes only the connection type LAN.");
    ann.noticed("You get no lobby messages during games.");
    let mut guest = hall.one(
        AccessLevel::Elevated,
        &crate::support::Identity::new("Guest"),
    );
    guest.echo(b"one");
    guest.echo(b"two");
    guest.expect_by_now(&ServerMessage::Chat {
        name: b"Guest",
        text: b"two",
    });
    guest.join(room);
}

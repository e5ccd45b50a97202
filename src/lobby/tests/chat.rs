use super::*;
use crate::lobby::AccessLevel;
use crate::lobby::catalogue::Language;
use encoding_rs::SHIFT_JIS;

#[test]
fn lines_go_to_everybody_trimmed() {
    let mut world = World::with("abc");
    world.chat('b', "  hi all \n");
    world.expect(["abc: Chat b: hi all"]);
}

#[test]
fn lines_wait_for_the_last_one_and_for_the_login() {
    let mut world = World::with("b");
    // Its login, of four round trips of 10 ms, has begun 40 ms ago.
    world.login('a', login(b"a"));
    world.take();
    let refusal = "a: Info server: Not sent: you are sending too fast";
    world.wait(1959);
    world.chat('a', "zero");
    world.chat('a', "");
    world.expect([refusal, refusal]);
    world.wait(1);
    world.chat('a', "one");
    world.wait(1999);
    world.chat('a', "two");
    world.wait(1);
    world.chat('a', "three");
    world.expect(["ba: Chat a: one", refusal, "ba: Chat a: three"]);
}

#[test]
fn lines_that_begin_with_no_character_vanish() {
    let mut world = World::new(Rules {
        charset: SHIFT_JIS,
        ..Rules::default()
    });
    world.enter("a");
    world.send('a', ClientMessage::Chat { text: b"\xFFx" });
    world.expect([]);
    world.send('a', ClientMessage::Chat { text: b"x\xFF" });
    assert_eq!(world.take().len(), 1);
}

#[test]
fn refused_lines_take_no_turn() {
    let mut world = World::with("a");
    world.chat('a', &"x".repeat(151));
    world.chat('a', "a\x01b");
    world.chat('a', "   ");
    world.chat('a', &"x".repeat(150));
    let log = world.take();
    assert_eq!(log.len(), 3);
    assert_eq!(log[0], "a: Info server: Not sent: the text is too long");
    assert_eq!(
        log[1],
        "a: Info server: Not sent: the text has characters that are not allowed"
    );
    assert!(log[2].starts_with("a: Chat a: xxx"));
}

#[test]
fn lines_that_look_blank_vanish() {
    let mut world = World::with("a");
    world.send('a', ClientMessage::Chat { text: b"\xA0 \xA0" });
    world.send('a', ClientMessage::Chat { text: b"" });
    world.expect([]);
}

#[test]
fn bytes_are_relayed_unchanged_and_counted_in_characters() {
    let mut world = World::new(Rules {
        charset: SHIFT_JIS,
        ..Rules::default()
    });
    world.enter("a");
    world.create('a', "Game");
    let body = super::login::vector("chat_request_shift_jis");
    let line = &body[1..body.len() - 1];
    let long = line.repeat(75);
    let odd: Vec<u8> = (1..=255).collect();
    let data = [b"\nDA".as_slice(), &odd].concat();
    let mut lines = Vec::new();
    let mut sink = OnNotice(|message: &ServerMessage<'_>| {
        if let ServerMessage::Chat { text, .. } | ServerMessage::GameChat { text, .. } = *message {
            lines.push(text.to_vec());
        }
    });
    world.lobby.rules.chat_flood = Duration::ZERO;
    for text in [line, &long] {
        let chat = ClientMessage::Chat { text };
        world.lobby.message(world.now, key('a'), &chat, &mut sink);
    }
    let chat = ClientMessage::GameChat { text: &data };
    world.lobby.message(world.now, key('a'), &chat, &mut sink);
    // What is longer than clients have room for comes in several lines.
    assert_eq!(lines.remove(1).len(), 254);
    let tail = &long[254..];
    assert_eq!(lines, [line.to_vec(), tail.to_vec(), data]);
}

#[test]
fn room_lines_stay_in_the_room() {
    let mut world = World::gather("ab");
    world.enter("c");
    world.game_chat('b', "hi");
    world.game_chat('c', "nobody hears");
    world.game_chat('a', &"x".repeat(321));
    world.expect([
        "ab: GameChat b: hi",
        "a: GameChat Server: Not sent: the text is too long",
    ]);
}

#[test]
fn a_flood_in_a_room_is_refused_with_one_line() {
    let mut world = World::gather("ab");
    for _ in 0..70 {
        world.game_chat('a', "x");
    }
    let log = world.take();
    assert_eq!(log.len(), 61);
    assert_eq!(log[59], "ab: GameChat a: x");
    assert_eq!(
        log[60],
        "a: GameChat Server: Not sent: you are sending too fast"
    );
    world.wait(10_000);
    world.game_chat('a', "x");
    world.expect(["ab: GameChat a: x"]);
}

#[test]
fn elevated_users_are_not_limited() {
    let mut world = World::with("a");
    world.lobby.users.get_mut(key('a')).unwrap().level = AccessLevel::Elevated;
    world.chat('a', "one");
    world.chat('a', &"x".repeat(200));
    assert_eq!(world.take().len(), 2);
}

#[test]
fn lobby_commands_answer_the_sender() {
    let mut world = World::with("ab");
    let mut say = |line: &str| {
        world.wait(2000);
        world.chat('a', line);
        world.take()
    };
    assert_eq!(say("/myip"), ["a: Info server: Your address: 192.0.2.97"]);
    assert!(say("/alivecheck")[0].starts_with("a: Info server: :ALIVECHECK="));
    assert!(say("/version")[0].starts_with("a: Info server: VERSION: Samara: "));
    assert_eq!(say("/help").len(), 15);
    assert_eq!(say("/ME  waves "), ["ab: Info server: *a waves"]);
    assert_eq!(say("/me ::x"), ["ab: Info server: *a :x"]);
    assert_eq!(say("/me"), ["a: Info server: Use: /me <text>"]);
    assert_eq!(say("/mean x"), ["a: Info server: No such command: /mean x"]);
    let long = format!("/me {}", "x".repeat(151));
    assert_eq!(
        say(&long),
        ["a: Info server: Not sent: the text is too long"]
    );
}

#[test]
fn long_emotes_take_several_lines() {
    let mut world = World::new(Rules {
        max_chat_length: 0,
        ..Rules::default()
    });
    world.enter("a");
    let long = "x".repeat(250);
    world.chat('a', &format!("/me {long}"));
    let first = format!("a: Info server: *a {}", "x".repeat(197));
    world.expect([&first, &format!("a: Info server: {}", "x".repeat(53))]);
    world.create('a', "Game");
    world.take();
    world.wait(2000);
    world.game_chat('a', &format!("/me {long}"));
    assert_eq!(world.take().len(), 2);
}

#[test]
fn the_lobby_speaks_its_language() {
    let mut rules = Rules {
        language: Language::Portuguese,
        ..Rules::default()
    };
    rules
        .texts
        .set("ChatAction.UnrecognizedCommand", "Hm? {0}")
        .unwrap();
    let mut world = World::new(rules);
    world.login('a', login(b"a"));
    world.take();
    let say = |world: &mut World, line: &str| {
        world.wait(2000);
        world.chat('a', line);
        world.take()
    };
    assert_eq!(say(&mut world, "/msp"), ["a: Info server: Hm? /msp"]);
    let usage = ["a: Info server: Uso: /me <texto>"];
    assert_eq!(say(&mut world, "/me"), usage);
    world.lobby.set_rules(Rules {
        room_welcome: vec!["Hi".to_owned()],
        ..Rules::default()
    });
    assert_eq!(
        say(&mut world, "/msp"),
        ["a: Info server: No such command: /msp"]
    );
    world.create('a', "Game");
    assert_eq!(world.take().last().unwrap(), "a: GameChat Server: Hi");
}

#[test]
fn commands_count_as_lines() {
    let mut world = World::with("a");
    world.chat('a', "/myip");
    world.chat('a', "/myip");
    assert_eq!(
        world.take()[1],
        "a: Info server: Command refused: you are silenced, or sending too fast."
    );
}

#[test]
fn no_user_makes_a_data_line() {
    let mut world = World::new(Rules::default());
    world.login('a', login(b":ACCESS=SuperAdmin"));
    world.take();
    world.create('a', ":USERINFO=x");
    let log = world.take();
    assert!(
        log.iter().all(|line| !line.contains("Info server: :")),
        "{log:?}"
    );
    assert_eq!(
        log.last().unwrap(),
        "a: Info server: ACCESS=SuperAdmin opened a room: :USERINFO=x"
    );
}

#[test]
fn the_owner_sets_the_room() {
    let mut world = World::gather("ab");
    world.enter("c");
    let mut say = |line: &str| {
        world.wait(2000);
        world.game_chat('a', line);
        world.take()
    };
    assert_eq!(
        say("/maxusers 16"),
        [
            "ab: GameChat Server: The room takes 16 members.",
            "abc: GameStatus 1 Waiting 2/16"
        ]
    );
    let usage = "a: GameChat Server: Use: /maxusers <1-100> sets how many may join";
    for wrong in [
        "/maxusers",
        "/maxusers 0",
        "/maxusers 101",
        "/maxusers -5",
        "/maxusers 300",
    ] {
        assert_eq!(say(wrong), [usage]);
    }
    assert_eq!(
        say("/maxping 9"),
        ["ab: GameChat Server: The room takes pings up to 9 ms."]
    );
    assert_eq!(
        say("/setemu"),
        ["ab: GameChat Server: The room takes only the emulator EMU 1.0."]
    );
    assert_eq!(
        say("/setemu any"),
        ["ab: GameChat Server: The room takes any emulator."]
    );
    assert_eq!(
        say("/setconn"),
        ["ab: GameChat Server: The room takes only the connection type LAN."]
    );
    assert_eq!(
        say("/setconn any"),
        ["ab: GameChat Server: The room takes any connection type."]
    );
    assert_eq!(say("/num"), ["a: GameChat Server: Members: 2"]);
    assert_eq!(
        say("/p2poff"),
        ["ab: GameChat Server: You get lobby messages during games."]
    );
    assert_eq!(say("/help").len(), 36);
    assert_eq!(say("/me waves"), ["ab: GameChat Server: *a waves"]);
    assert_eq!(
        say("/nothing"),
        ["a: GameChat Server: No such command: /nothing"]
    );
    world.join('c', 1);
    world.expect([
        "c: Info server: You cannot join: your ping is too high for this room",
        "c: QuitGame c 3",
    ]);
}

#[test]
fn members_do_not_command() {
    let mut world = World::gather("ab");
    world.game_chat('b', "/maxusers 3");
    world.game_chat('b', "/p2pon");
    world.game_chat('b', "/help");
    let log = world.take();
    assert_eq!(
        log[0],
        "b: GameChat Server: Only the room's owner can do that."
    );
    assert_eq!(
        log[1],
        "ab: GameChat Server: b gets no lobby messages during games."
    );
    assert_eq!(log.len(), 2 + 18);
}

#[test]
fn start_is_a_command_too() {
    let mut world = World::gather("ab");
    world.game_chat('a', "/start");
    assert_eq!(world.take()[0], "begin 0 Lan [1, 1]");
    world.game_chat('a', "/start");
    world.expect(["a: GameChat Server: Did not work: Players are still getting ready."]);
}

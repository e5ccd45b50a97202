//! Private messages, ignoring, and being silenced.

use super::*;
use crate::access::{AccessLevel, Sentence};

/// Says something after the pause an ordinary user has to make, and what came of it.
fn say(world: &mut World, who: char, line: &str) -> Vec<String> {
    world.wait(2000);
    world.chat(who, line);
    world.take()
}

fn give(world: &mut World, who: char, level: AccessLevel) {
    world.lobby.users.get_mut(key(who)).unwrap().level = level;
}

#[test]
fn both_see_a_private_message() {
    let mut world = World::with("abc");
    assert_eq!(
        say(&mut world, 'a', "/msg 2  hello  there "),
        [
            "a: Info server: TO: <b>(2) <a> (1): hello  there",
            "b: Info server: <a> (1): hello  there",
        ]
    );
    assert_eq!(
        say(&mut world, 'b', "/msg back"),
        [
            "b: Info server: TO: <a>(1) <b> (2): back",
            "a: Info server: <b> (2): back",
        ]
    );
    assert!(say(&mut world, 'a', "/msg 2").is_empty());
}

#[test]
fn private_messages_refused() {
    let mut world = World::with("abc");
    for (line, answer) in [
        ("/msg", "Use: /msg <id> <text>"),
        (
            "/msg hello",
            "You have no one to answer yet; use: /msg <id> <text>",
        ),
        ("/msg 9 hello", "No user 9"),
        ("/msg 70000 hello", "No user 70000"),
        ("/msg 1 hello", "You cannot write to yourself."),
        (
            "/msg 2 a\u{1}b",
            "Not sent: the text has characters that are not allowed",
        ),
    ] {
        let expected = format!("a: Info server: {answer}");
        assert_eq!(say(&mut world, 'a', line), [expected], "{line}");
    }
    let long = format!("/msg 2 {}", "x".repeat(321));
    assert_eq!(
        say(&mut world, 'a', &long),
        ["a: Info server: Not sent: the text is too long"]
    );
    assert_eq!(
        say(&mut world, 'b', "/msgoff"),
        ["b: Info server: You refuse private messages."]
    );
    assert_eq!(
        say(&mut world, 'a', "/msg 2 hello"),
        ["a: Info server: b refuses private messages."]
    );
    say(&mut world, 'b', "/msgon");
    assert_eq!(say(&mut world, 'a', "/msg 2 hello").len(), 2);
}

#[test]
fn a_reply_meets_the_ignore_list_too() {
    let mut world = World::with("ab");
    say(&mut world, 'a', "/msg 2 hello");
    say(&mut world, 'b', "/msg go away");
    say(&mut world, 'b', "/ignore 1");
    assert_eq!(
        say(&mut world, 'a', "/msg why"),
        ["a: Info server: b ignores you."]
    );
}

#[test]
fn in_a_room_only_its_members_are_reached() {
    let mut world = World::gather("ab");
    world.enter("c");
    world.wait(2000);
    world.game_chat('a', "/msg 2 hello");
    world.expect([
        "a: GameChat Server: TO: <b>(2) <a> (1): hello",
        "b: GameChat Server: <a> (1): hello",
    ]);
    world.wait(2000);
    world.game_chat('a', "/msg 3 hello");
    world.expect(["a: GameChat Server: No user 3"]);
}

#[test]
fn the_ignored_are_not_seen() {
    let mut world = World::with("abc");
    assert_eq!(
        say(&mut world, 'b', "/ignore 1"),
        ["abc: Info server: b (2) ignores a (1) now."]
    );
    assert_eq!(say(&mut world, 'a', "hello"), ["ac: Chat a: hello"]);
    assert_eq!(
        say(&mut world, 'a', "/me waves"),
        ["ac: Info server: *a waves"]
    );
    assert_eq!(
        say(&mut world, 'b', "/unignore 1"),
        ["abc: Info server: b (2) no longer ignores a (1)."]
    );
    assert_eq!(say(&mut world, 'a', "hello"), ["abc: Chat a: hello"]);
}

#[test]
fn ignoring_refused() {
    let mut world = World::with("abc");
    give(&mut world, 'c', AccessLevel::Moderator);
    for (line, answer) in [
        ("/ignore", "Use: /ignore <id>"),
        ("/ignore x", "Use: /ignore <id>"),
        ("/ignore 9", "No user 9"),
        ("/ignore 2", "You cannot ignore yourself."),
        ("/ignore 3", "Moderators and admins cannot be ignored."),
        ("/unignore 1", "You do not ignore a."),
        ("/unignore", "Use: /unignore <id>"),
    ] {
        let expected = format!("b: Info server: {answer}");
        assert_eq!(say(&mut world, 'b', line), [expected], "{line}");
    }
    say(&mut world, 'b', "/ignore 1");
    assert_eq!(
        say(&mut world, 'b', "/ignore 1"),
        ["b: Info server: You ignore a already."]
    );
}

#[test]
fn who_ignores_everyone_sees_admins_only() {
    let mut world = World::with("abc");
    give(&mut world, 'c', AccessLevel::Admin);
    assert_eq!(
        say(&mut world, 'b', "/ignoreall"),
        ["abc: Info server: b (2) ignores everyone now."]
    );
    assert_eq!(say(&mut world, 'a', "hello"), ["ac: Chat a: hello"]);
    assert_eq!(say(&mut world, 'b', "hello"), ["abc: Chat b: hello"]);
    assert_eq!(say(&mut world, 'c', "hello"), ["abc: Chat c: hello"]);
    assert_eq!(
        say(&mut world, 'a', "/msg 2 hello"),
        ["a: Info server: b ignores you."]
    );
    say(&mut world, 'b', "/unignoreall");
    assert_eq!(say(&mut world, 'a', "hello"), ["abc: Chat a: hello"]);
}

#[test]
fn the_silenced_say_nothing_anywhere() {
    let mut world = World::gather("ab");
    let sentence = Sentence {
        length: Some(Duration::from_secs(60)),
        issuer: "x",
        reason: "",
    };
    let now = world.now;
    let silenced = world
        .lobby
        .access_mut()
        .silence(now, address(b'b'), sentence);
    assert_eq!(silenced, Ok(()));
    assert_eq!(
        say(&mut world, 'b', "hello"),
        ["b: Info server: Not sent: you are silenced"]
    );
    let refused = "b: Info server: Command refused: you are silenced, or sending too fast.";
    assert_eq!(say(&mut world, 'b', "/me waves"), [refused]);
    assert_eq!(say(&mut world, 'b', "/msg 1 hello"), [refused]);
    world.game_chat('b', "hello");
    world.expect(["b: GameChat Server: Not sent: you are silenced"]);
    give(&mut world, 'b', AccessLevel::SuperAdmin);
    assert_eq!(say(&mut world, 'b', "hello"), ["ab: Chat b: hello"]);
    world.game_chat('b', "hello");
    world.expect(["ab: GameChat b: hello"]);
    give(&mut world, 'b', AccessLevel::Normal);
    world.wait(60_000);
    assert_eq!(say(&mut world, 'b', "hello"), ["ab: Chat b: hello"]);
}

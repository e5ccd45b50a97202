//! Owners keeping order in their rooms (kaillera-server.md 7.5).

use super::*;
use crate::access::AccessLevel;

fn say(world: &mut World, who: char, line: &str) -> Vec<String> {
    world.wait(2000);
    world.game_chat(who, line);
    world.take()
}

fn give(world: &mut World, who: char, level: AccessLevel) {
    world.lobby.users.get_mut(key(who)).unwrap().level = level;
}

#[test]
fn the_muted_write_nothing_in_the_room() {
    let mut world = World::gather("abc");
    assert_eq!(
        say(&mut world, 'a', "/mute 2"),
        ["abc: GameChat Server: b is muted in this room."]
    );
    let muted = "b: GameChat Server: Not sent: you are muted in this room";
    assert_eq!(say(&mut world, 'b', "x"), [muted]);
    assert_eq!(say(&mut world, 'b', "/me x"), [muted]);
    world.quit_game('b');
    world.join('b', 1);
    world.take();
    assert_eq!(say(&mut world, 'b', "x"), [muted]);
    world.wait(2000);
    world.chat('b', "x");
    world.expect(["abc: Chat b: x"]);
    assert_eq!(
        say(&mut world, 'a', "/unmute 2"),
        ["acb: GameChat Server: b is no longer muted in this room."]
    );
    assert_eq!(say(&mut world, 'b', "x"), ["acb: GameChat b: x"]);
}

#[test]
fn muting_refused() {
    let mut world = World::gather("abc");
    world.enter("d");
    give(&mut world, 'c', AccessLevel::Admin);
    for (line, answer) in [
        (
            "/mute",
            "Use: /mute <id> keeps a user from writing in this room",
        ),
        ("/mute 4", "Did not work: That user is not in this room."),
        ("/mute 9", "Did not work: That user is not in this room."),
        ("/mute 1", "Did not work: You cannot do that to yourself."),
        ("/mute 3", "Did not work: Not possible with an admin."),
    ] {
        let expected = format!("a: GameChat Server: {answer}");
        assert_eq!(say(&mut world, 'a', line), [expected], "{line}");
    }
    assert_eq!(
        say(&mut world, 'b', "/mute 1"),
        ["b: GameChat Server: Only the room's owner can do that."]
    );
}

#[test]
fn only_the_owner_and_admins_write_when_all_are_muted() {
    let mut world = World::gather("abc");
    give(&mut world, 'c', AccessLevel::Admin);
    say(&mut world, 'a', "/muteall");
    assert_eq!(say(&mut world, 'a', "x"), ["abc: GameChat a: x"]);
    assert_eq!(say(&mut world, 'c', "x"), ["abc: GameChat c: x"]);
    assert!(say(&mut world, 'b', "x")[0].contains("muted"));
    say(&mut world, 'a', "/unmuteall");
    assert_eq!(say(&mut world, 'b', "x"), ["abc: GameChat b: x"]);
}

#[test]
fn players_are_removed_by_number() {
    let mut world = World::gather("abc");
    let log = say(&mut world, 'a', "/kick 2");
    assert_eq!(log[0], "ac: QuitGame b 2");
    assert_eq!(
        say(&mut world, 'a', "/kick 3"),
        ["a: GameChat Server: Did not work: There is no player 3 in this room."]
    );
    assert!(say(&mut world, 'a', "/kick x")[0].contains("Use: /kick"));
    world.join('b', 1);
    assert!(world.take()[0].contains("you were removed from this room"));
}

#[test]
fn all_others_are_removed_but_admins() {
    let mut world = World::gather("abcd");
    give(&mut world, 'b', AccessLevel::Admin);
    let log = say(&mut world, 'a', "/kickall");
    assert_eq!(log[0], "abc: QuitGame d 4");
    assert_eq!(
        log.last().unwrap(),
        "ab: GameChat Server: All other players are removed from this room."
    );
}

#[test]
fn a_room_asks_for_its_password() {
    let mut world = World::gather("a");
    world.enter("bcd");
    give(&mut world, 'd', AccessLevel::Elevated);
    assert_eq!(
        say(&mut world, 'a', "/password secret"),
        ["a: GameChat Server: The room asks for a password now."]
    );
    world.join('b', 1);
    assert!(world.take()[0].contains("this room asks for a password; type /password"));
    world.wait(2000);
    world.chat('b', "/password Secret");
    world.expect(["b: Info server: Password noted; join the room now."]);
    world.join('b', 1);
    assert!(world.take()[0].contains("the password is wrong"));
    world.wait(2000);
    world.chat('b', "/password secret");
    world.take();
    world.join('b', 1);
    assert!(world.take()[0].contains("GameStatus"));
    world.join('d', 1);
    assert!(world.take()[0].contains("GameStatus"));
    say(&mut world, 'a', "/password off");
    world.join('c', 1);
    assert!(world.take()[0].contains("GameStatus"));
}

#[test]
fn guessing_a_password_takes_long() {
    let mut world = World::gather("a");
    world.enter("b");
    say(&mut world, 'a', "/password secret");
    let guess = |world: &mut World, word: &str| {
        world.wait(2000);
        world.chat('b', &format!("/password {word}"));
        world.take();
        world.join('b', 1);
        world.take()[0].clone()
    };
    for _ in 0..5 {
        assert!(guess(&mut world, "x").contains("wrong"));
    }
    assert!(guess(&mut world, "secret").contains("too many wrong passwords"));
    world.wait(60_000);
    assert!(guess(&mut world, "secret").contains("GameStatus"));
}

#[test]
fn without_passwords_there_is_no_such_command_and_none_is_asked() {
    let mut world = World::gather("a");
    say(&mut world, 'a', "/password secret");
    world.lobby.rules.passwords = false;
    assert_eq!(
        say(&mut world, 'a', "/Password other"),
        ["a: GameChat Server: No such command: /Password other"]
    );
    assert!(
        !say(&mut world, 'a', "/help")
            .join("\n")
            .contains("/password")
    );
    world.enter("b");
    world.join('b', 1);
    assert!(world.take()[0].contains("GameStatus"));
    world.wait(2000);
    world.chat('b', "/password secret");
    let log = world.take();
    assert!(
        log[0].starts_with("b: Info server: ") && log[0].contains("/password"),
        "{log:?}"
    );
}

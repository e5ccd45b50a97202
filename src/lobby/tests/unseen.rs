//! Admins who join rooms unseen, and words that are not wanted.

use super::*;
use crate::{access::AccessLevel, lobby::WordFilter};

fn give(world: &mut World, who: char, level: AccessLevel) {
    world.lobby.users.get_mut(key(who)).unwrap().level = level;
}

/// A room of a and b, and c, an admin, who has said `/stealthon`.
fn unseen() -> World {
    let mut world = World::gather("ab");
    world.enter("c");
    give(&mut world, 'c', AccessLevel::Admin);
    world.chat('c', "/stealthon");
    world.expect(["c: Info server: You now join rooms unseen."]);
    world
}

#[test]
fn nobody_is_told_of_one_who_is_unseen() {
    let mut world = unseen();
    world.join('c', 1);
    world.expect([
        "abc: GameStatus 1 Waiting 2/8",
        "c: PlayerInformation 2",
        "c: JoinGame 1 c 10 3 Lan",
    ]);
    world.game_chat('a', "hi");
    world.expect(["abc: GameChat a: hi"]);
    world.enter("d");
    world.join('d', 1);
    let log = world.take();
    assert!(
        log.contains(&"d: PlayerInformation 2".to_owned()),
        "{log:?}"
    );
    world.quit_game('c');
    let log = world.take();
    assert!(log.contains(&"c: QuitGame c 3".to_owned()), "{log:?}");
    assert!(
        !log.iter()
            .any(|line| line.starts_with("ab") && line.contains("QuitGame"))
    );
}

#[test]
fn one_who_is_unseen_has_no_seat() {
    let mut world = unseen();
    world.join('c', 1);
    world.take();
    world.start('a');
    let log = world.take();
    assert_eq!(log[0], "begin 0 Lan [1, 1]");
    world.ready("abc");
    world.drop('c');
    let log = world.take();
    assert!(log.contains(&"play 0".to_owned()), "{log:?}");
    let to_others = |line: &String| line.contains("PlayerDrop") && !line.starts_with("c:");
    assert!(!log.iter().any(to_others), "{log:?}");
}

#[test]
fn in_a_room_nobody_vanishes() {
    let mut world = unseen();
    world.join('c', 1);
    world.take();
    world.chat('c', "/stealthoff");
    world.expect(["c: Info server: Command failed: leave your room first"]);
    world.game_chat('c', "/unwatch");
    world.expect(["c: GameChat Server: This room cannot be watched."]);
}

/// a and b in a room, c unseen among them, and d, who came after c.
fn among() -> World {
    let mut world = unseen();
    world.join('c', 1);
    world.enter("d");
    world.join('d', 1);
    world.take();
    world
}

#[test]
fn players_are_counted_without_one_who_is_unseen() {
    let mut world = among();
    world.game_chat('a', "/kick 3");
    let log = world.take();
    assert!(log.contains(&"d: QuitGame d 4".to_owned()), "{log:?}");
    world.game_chat('a', "/swap 21");
    world.take();
    world.quit_game('c');
    let log = world.take();
    assert!(!log.iter().any(|line| line.contains("GameChat")), "{log:?}");
    world.start('a');
    world.take();
    assert_eq!(world.sink.players, [key('b'), key('a')]);
}

#[test]
fn no_game_starts_for_one_who_is_unseen() {
    let mut world = unseen();
    world.game_chat('a', "/startn 2");
    world.take();
    world.join('c', 1);
    let log = world.take();
    assert!(!log.iter().any(|line| line.starts_with("begin")), "{log:?}");
}

#[test]
fn answers_do_not_give_away_who_is_unseen() {
    let mut world = among();
    world.kick('a', 3);
    let kick = "a: GameChat Error: That user is not in this room.";
    world.expect([kick]);
    world.game_chat('a', "/mute 3");
    world.expect(["a: GameChat Server: Did not work: That user is not in this room."]);
    world.game_chat('a', "/msg 3 hi");
    world.expect(["a: GameChat Server: No user 3"]);
    world.wait(2000);
    world.chat('a', "/finduser c");
    world.expect(["a: Info server: UserID: 3, Nick: <c>, Access: Normal"]);
    let views = world.lobby.snapshot().users;
    let rooms: Vec<_> = views.iter().map(|user| user.room).collect();
    assert_eq!(rooms, [Some(1), Some(1), None, Some(1)]);
}

#[test]
fn who_is_no_admin_any_more_is_not_unseen_either() {
    let mut world = among();
    let (now, rules) = (world.now, Default::default());
    world.lobby.set_access_rules(now, rules, &mut world.sink);
    let log = world.take();
    assert!(log.contains(&"c: QuitGame c 3".to_owned()), "{log:?}");
    assert!(!log.iter().any(|line| line.starts_with("abd: QuitGame")));
    world.join('c', 1);
    let log = world.take();
    assert!(
        log.contains(&"abdc: JoinGame 1 c 10 3 Lan".to_owned()),
        "{log:?}"
    );
    world.lobby.check_invariants();
}

#[test]
fn owners_are_seen() {
    let mut world = unseen();
    world.create('c', "Other");
    let log = world.take();
    assert!(
        log.contains(&"abc: GameStatus 2 Waiting 1/8".to_owned()),
        "{log:?}"
    );
}

#[test]
fn unwanted_words_are_refused_everywhere() {
    let mut world = World::new(Rules {
        word_filter: WordFilter::new(["darn"]),
        ..Rules::default()
    });
    world.enter("ab");
    let line = "a: Info server: Not sent: the text has a word that is not allowed here";
    for text in ["Oh DARN!", "/me says darn", "/msg 2 darn"] {
        world.wait(2000);
        world.chat('a', text);
        world.expect([line]);
    }
    world.wait(2000);
    world.chat('a', "darning is fine");
    world.expect(["ab: Chat a: darning is fine"]);
    world.create('a', "darn it");
    assert!(world.take()[0].contains("the game name has a word that is not allowed here"));
    world.create('a', "Game");
    world.take();
    world.game_chat('a', "darn");
    world.expect(["a: GameChat Server: Not sent: the text has a word that is not allowed here"]);
    world.game_chat('a', "\ndarn");
    world.expect(["a: GameChat a: \ndarn"]);
    world.login('c', login(b"a darn name"));
    assert!(world.take()[0].contains("Your name has a word that is not allowed here."));
    give(&mut world, 'b', AccessLevel::Elevated);
    world.chat('b', "darn");
    world.expect(["ab: Chat b: darn"]);
    world.quit('a', "oh darn");
    assert!(
        world
            .take()
            .contains(&"b: Quit a 1 `Left the server`".to_owned())
    );
}

/// Else one such byte would let any word pass.
#[test]
fn bytes_that_are_no_character_do_not_hide_a_word() {
    let mut world = World::new(Rules {
        charset: encoding_rs::SHIFT_JIS,
        word_filter: WordFilter::new(["darn"]),
        ..Rules::default()
    });
    world.enter("a");
    world.create('a', "Game");
    world.take();
    world.send('a', ClientMessage::GameChat { text: b"darn \xFF" });
    assert!(world.take()[0].contains("Not sent: the text has a word that is not allowed here"));
}

#[test]
fn admins_begin_and_end_the_quiz() {
    let mut world = World::with("ab");
    give(&mut world, 'a', AccessLevel::Admin);
    world.chat('b', "/triviaon");
    world.expect(["b: Info server: No such command: /triviaon"]);
    world.chat('a', "/triviatime");
    world.expect(["a: Info server: Command failed: /triviatime <seconds>"]);
    for wrong in ["0", "3601", "x"] {
        world.chat('a', &format!("/triviatime {wrong}"));
        world.expect(["a: Info server: Command failed: /triviatime <seconds>"]);
    }
    world.chat('a', "/triviaupdate 192.0.2.1 x");
    world.expect(["a: Info server: Command failed: /triviaupdate <old address> <new address>"]);
    world.chat('a', "/triviaoff");
    let log = world.take();
    assert!(
        log[0].contains("Start the quiz first: /triviaon"),
        "{log:?}"
    );
}

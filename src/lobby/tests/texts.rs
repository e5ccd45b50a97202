//! Every text of the catalogue is shown where kaillera-server.md 4.3 says.
//!
//! Each text is worded as its own number here, so that a line tells which texts it is made of.

mod lobby;
mod rooms;
mod staff;

use super::*;
use crate::{
    access::Rules as AccessRules,
    lobby::{
        Posts, Update, WordFilter,
        catalogue::{OperatorTexts, Text},
    },
};
use std::sync::Arc;

/// Who got it and what kind of message it was in, and the names of the texts.
type Shown = (&'static str, &'static str);

/// A situation: what leads to it, and what is shown then.
type Scene = (fn(&mut World), &'static [Shown]);

fn mark(text: Text) -> String {
    format!("#{}#", text as usize)
}

fn named(name: &str) -> Text {
    let named = Text::ALL.iter().find(|text| format!("{text:?}") == name);
    *named.expect(name)
}

fn numbered() -> OperatorTexts {
    let mut texts = OperatorTexts::default();
    for text in Text::ALL {
        let places: String = (0..text.params()).map(|it| format!("{{{it}}}")).collect();
        texts.set(text.key(), &(mark(*text) + &places)).unwrap();
    }
    texts
}

/// `a` and `b` are normal and in room 1 of `a`, `m` is a moderator, `x` an admin, `s` a super
/// admin; what is named `Bad`, or at address 200, is refused, and address 201 is silenced.
fn stage() -> World {
    let rules = "user,MODERATOR,192.0.2.109\nuser,ADMIN,192.0.2.120\nuser,SUPERADMIN,192.0.2.115\n\
                 ipaddress,DENY,192.0.2.200\nemulator,DENY,Bad*\ngame,DENY,Bad*\n\
                 silence,192.0.2.201";
    let rules = AccessRules::parse(rules);
    assert_eq!(rules.mistakes, []);
    let mut world = World::new(Rules {
        texts: numbered(),
        word_filter: WordFilter::new(["darn"]),
        posts: Some(Posts {
            delay: Duration::from_secs(60),
            suppress: Vec::new(),
        }),
        come_back: true,
        create_game_flood: Duration::ZERO,
        ..Rules::default()
    });
    let now = world.now;
    world
        .lobby
        .set_access_rules(now, Arc::new(rules.rules), &mut world.sink);
    world.enter("abmxs");
    world.create('a', "Game");
    world.join('b', 1);
    world
}

fn play(world: &mut World) {
    world.start('a');
    world.ready("ab");
}

fn enters(world: &mut World, change: impl Fn(&mut Login<'_>)) {
    let mut login = login(b"c");
    change(&mut login);
    world.login('c', login);
}

fn times_out(world: &mut World, seconds: u64) {
    world.wait(seconds * 1000);
    let now = world.now;
    world.lobby.handle_timeout(now, &mut world.sink);
}

/// Lines one after the other, each after the pause there has to be.
fn say(world: &mut World, who: char, lines: &str) {
    for line in lines.split("; ") {
        world.wait(2000);
        world.chat(who, line);
    }
}

/// The same in the room.
fn here(world: &mut World, who: char, lines: &str) {
    for line in lines.split("; ") {
        world.wait(2000);
        world.game_chat(who, line);
    }
}

const SCENES: [&[Scene]; 9] = [
    lobby::LOGINS,
    lobby::CHAT,
    lobby::DEPARTURES,
    rooms::ROOMS,
    rooms::STARTS,
    rooms::GAMES,
    rooms::OWNERS,
    staff::ADMINS,
    staff::QUIZ,
];

/// What no situation here shows, and why.
const NOT_SHOWN: &[(Text, &str)] = &[
    (Text::LevelBanned, "who has this level is on the way out"),
    (Text::WatchFull, "takes 100 members"),
    (
        Text::LevelAdminAlready,
        "no admin can grant levels, and who can may act on admins",
    ),
    (
        Text::TargetModerator,
        "takes two moderators; see `who_may_be_acted_on`",
    ),
    (Text::TooManyEntries, "takes 65,536 entries"),
    (
        Text::UsageVersion,
        "the command takes nothing and so cannot be written wrongly",
    ),
];

#[test]
fn every_text_is_shown() {
    let mut seen = vec![false; Text::ALL.len()];
    let mut listed = vec![false; Text::ALL.len()];
    let mut missing = Vec::new();
    for (act, shown) in SCENES.concat() {
        let mut world = stage();
        act(&mut world);
        let log = world.take();
        let rows = shown
            .iter()
            .flat_map(|(front, names)| names.split(' ').map(move |it| (front, it)));
        for (front, text) in rows {
            let text = named(text);
            let mark = mark(text);
            let is_it = |line: &&String| line.starts_with(front) && line.contains(&mark);
            listed[text as usize] = true;
            if !log.iter().any(|line| is_it(&line)) {
                missing.push(format!("{front}{text:?}"));
            }
        }
        for text in Text::ALL {
            seen[*text as usize] |= log.iter().any(|line| line.contains(&mark(*text)));
        }
    }
    assert_eq!(missing, [""; 0]);
    let unseen = Text::ALL.iter().filter(|text| !seen[**text as usize]);
    let unseen: Vec<Text> = unseen.copied().collect();
    let expected: Vec<Text> = NOT_SHOWN.iter().map(|(text, _)| *text).collect();
    assert_eq!(unseen, expected);
    // Of all but the lines of help and of use, somebody has said where they are shown.
    let is_listed = |text: &&Text| {
        let name = format!("{text:?}");
        let is_line = name.starts_with("Help") || name.starts_with("Usage");
        is_line || listed[**text as usize] || expected.contains(text)
    };
    let unlisted = Text::ALL.iter().filter(|text| !is_listed(text));
    assert_eq!(unlisted.collect::<Vec<_>>(), [&Text::Product; 0]);
}

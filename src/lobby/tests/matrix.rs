//! What users of each level may do, row by row of kaillera-server.md 7.7: one of each level tries.

use super::*;
use crate::{
    access::{AccessLevel, Rules as AccessRules, Sentence},
    lobby::rules::ConnectionTypes,
};
use std::sync::Arc;

const LEVELS: [AccessLevel; 5] = [
    AccessLevel::Normal,
    AccessLevel::Elevated,
    AccessLevel::Moderator,
    AccessLevel::Admin,
    AccessLevel::SuperAdmin,
];

/// From this level on, the row's cells are other than before.
const ELEVATED: usize = 1;
const MODERATOR: usize = 2;
const ADMIN: usize = 3;
const SUPER_ADMIN: usize = 4;

/// A row: what it says, where its cells change, and attempts that all have to come out so.
type Row = (&'static str, usize, &'static [fn(AccessLevel) -> bool]);

/// `u` has the level from now on, `x` is an admin.
fn set_level(world: &mut World, level: AccessLevel) {
    let user = match level {
        AccessLevel::Banned | AccessLevel::Normal => String::new(),
        level => format!("user,{},{}\n", level.name(), address(b'u')),
    };
    let rules = AccessRules::parse(&format!("{user}user,ADMIN,{}", address(b'x')));
    assert_eq!(rules.mistakes, []);
    let now = world.now;
    world
        .lobby
        .set_access_rules(now, Arc::new(rules.rules), &mut world.sink);
    world.take();
}

/// `u` of this level, in the lobby with `a`, who has room 1, `b`, who is in it, and `x`.
fn around(level: AccessLevel) -> World {
    let mut world = World::new(Rules {
        create_game_flood: Duration::ZERO,
        ..Rules::default()
    });
    set_level(&mut world, level);
    world.enter("abxu");
    world.create('a', "Game");
    world.join('b', 1);
    world.take();
    world
}

/// The same in the room.
fn inside(level: AccessLevel) -> World {
    let mut world = around(level);
    world.join('u', 1);
    world.take();
    world
}

/// Whether one of the lines has this in it.
fn shows(world: &mut World, part: &str) -> bool {
    world.take().iter().any(|line| line.contains(part))
}

fn passes(world: &mut World, line: &str) -> bool {
    world.chat('u', line);
    shows(world, &format!("Chat u: {line}"))
}

fn joins(world: &mut World) -> bool {
    world.join('u', 1);
    shows(world, "JoinGame 1 u ")
}

fn enters(level: AccessLevel, change: impl Fn(&mut World, &mut Login<'_>)) -> bool {
    let mut world = around(level);
    world.quit('u', "");
    world.take();
    let mut login = login(b"u");
    change(&mut world, &mut login);
    world.login('u', login);
    shows(&mut world, "UserJoined u ")
}

fn joins_after(level: AccessLevel, line: &str) -> bool {
    let mut world = around(level);
    world.quit('u', "");
    world.login(
        'u',
        Login {
            emulator: b"EMU 2",
            connection_type: ConnectionType::Bad,
            ..login(b"u")
        },
    );
    world.game_chat('a', line);
    world.take();
    joins(&mut world)
}

fn commands(level: AccessLevel, line: &str, part: &str) -> bool {
    let mut world = around(level);
    world.chat('u', line);
    shows(&mut world, part)
}

const MATRIX: &[Row] = &[
    (
        "no flood control",
        ELEVATED,
        &[|level| {
            let mut world = around(level);
            passes(&mut world, "one") && passes(&mut world, "two")
        }],
    ),
    (
        "no chat length and character checks",
        ELEVATED,
        &[
            |level| passes(&mut around(level), &"x".repeat(151)),
            |level| passes(&mut around(level), "a\u{1}b"),
            |level| {
                let (mut world, line) = (inside(level), "x".repeat(321));
                world.game_chat('u', &line);
                shows(&mut world, &line[..255])
            },
        ],
    ),
    (
        "login when full, with high ping, any type",
        ELEVATED,
        &[
            |level| enters(level, |world, _| world.lobby.rules.max_users = 3),
            |level| enters(level, |_, login| login.ping = Duration::from_secs(2)),
            |level| {
                enters(level, |world, _| {
                    world.lobby.rules.allowed_connection_types = ConnectionTypes([false; 6]);
                })
            },
        ],
    ),
    (
        "join a full, limited or running room",
        ELEVATED,
        &[
            |level| joins_after(level, "/maxusers 2"),
            |level| joins_after(level, "/maxping 1"),
            |level| joins_after(level, "/setemu"),
            |level| joins_after(level, "/setconn"),
            |level| {
                let mut world = around(level);
                world.start('a');
                world.take();
                joins(&mut world)
            },
        ],
    ),
    (
        "join although kicked from it; join spam limit off",
        ADMIN,
        &[
            |level| {
                let mut world = inside(AccessLevel::Normal);
                world.kick('a', 4);
                set_level(&mut world, level);
                joins(&mut world)
            },
            |level| {
                let mut world = around(level);
                (0..9).all(|_| {
                    let joins = joins(&mut world);
                    world.quit_game('u');
                    joins
                })
            },
        ],
    ),
    (
        "start another's room; kick in another's room",
        ADMIN,
        &[
            |level| {
                let mut world = inside(level);
                world.start('u');
                shows(&mut world, "StartGame")
            },
            |level| {
                let mut world = inside(level);
                world.kick('u', 2);
                shows(&mut world, "QuitGame b 2")
            },
        ],
    ),
    (
        "owner commands in another's room",
        SUPER_ADMIN,
        &[
            |level| {
                let mut world = inside(level);
                world.game_chat('u', "/maxusers 9");
                shows(&mut world, "The room takes 9 members.")
            },
            |level| {
                let mut world = inside(level);
                world.game_chat('u', "/muteall");
                shows(&mut world, "Everyone but the owner is muted")
            },
        ],
    ),
    (
        "cannot be ignored",
        MODERATOR,
        &[|level| {
            let mut world = around(level);
            world.chat('a', "/ignore 4");
            world.take();
            world.chat('u', "hello");
            shows(&mut world, "abxu: Chat u: hello")
        }],
    ),
    (
        "shown in spite of \"ignore all\"",
        ADMIN,
        &[|level| {
            let mut world = around(level);
            world.chat('a', "/ignoreall");
            world.take();
            world.chat('u', "hello");
            shows(&mut world, "abxu: Chat u: hello")
        }],
    ),
    (
        "exempt from silence",
        SUPER_ADMIN,
        &[
            |level| {
                let mut world = inside(level);
                silence(&mut world);
                passes(&mut world, "hello")
            },
            |level| {
                let mut world = inside(level);
                silence(&mut world);
                world.game_chat('u', "hello");
                shows(&mut world, "GameChat u: hello")
            },
        ],
    ),
    (
        "no idle timeout",
        ELEVATED,
        &[|level| {
            let mut world = around(level);
            world.depart('u', Departure::Idle);
            !shows(&mut world, "Quit u 4")
        }],
    ),
    (
        "/kick, /silence",
        MODERATOR,
        &[
            |level| commands(level, "/kick 2", "Quit b 2 `Removed by a moderator`"),
            |level| commands(level, "/silence 2 5", "b is silenced for 5 minutes"),
        ],
    ),
    (
        "/ban, /announce, /closegame, ...",
        ADMIN,
        &[
            |level| commands(level, "/ban 2 5", "b is banned for 5 minutes"),
            |level| commands(level, "/permaban 2", "b is banned for good"),
            |level| commands(level, "/permamute 2", "b is silenced for good"),
            |level| commands(level, "/announce hi", "Info server: hi"),
            |level| commands(level, "/announceall hi", "GameChat Server: hi"),
            |level| commands(level, "/announcegame 1 hi", "GameChat Server: hi"),
            |level| commands(level, "/closegame 1", "CloseGame 1"),
            |level| commands(level, "/finduser b", "IP: 192.0.2.98"),
            |level| commands(level, "/findgame *", "GameID: 1"),
            |level| commands(level, "/info 2", "address: 192.0.2.98"),
            |level| commands(level, "/clear 2", "Nothing to clear."),
            |level| commands(level, "/stealthon", "You now join rooms unseen."),
            |level| commands(level, "/triviareset", "All points are cleared."),
        ],
    ),
    (
        "temporary levels; act on admins",
        SUPER_ADMIN,
        &[
            |level| commands(level, "/tempelevated 2 5", "b is elevated for 5 minutes"),
            |level| commands(level, "/tempmoderator 2 5", "b is moderator for 5 minutes"),
            |level| commands(level, "/tempadmin 2 5", "b is admin for 5 minutes"),
            |level| commands(level, "/kick 3", "Quit x 3"),
            |level| commands(level, "/silence 3 5", "x is silenced for 5 minutes"),
            |level| commands(level, "/ban 3 5", "x is banned for 5 minutes"),
        ],
    ),
];

fn silence(world: &mut World) {
    let sentence = Sentence {
        length: None,
        issuer: "",
        reason: "",
    };
    let now = world.now;
    let access = world.lobby.access_mut();
    access.silence(now, address(b'u'), sentence).unwrap();
}

#[test]
fn one_of_each_level_tries_everything() {
    for (what, from, attempts) in MATRIX {
        for (index, attempt) in attempts.iter().enumerate() {
            let can = LEVELS.map(attempt);
            let expected = [0, 1, 2, 3, 4].map(|level| level >= *from);
            assert_eq!(can, expected, "{what}, attempt {index}");
        }
    }
}

/// A level counts for everything from the moment it is granted or taken (1.1).
#[test]
fn a_level_is_one_value_at_every_moment() {
    let mut world = inside(AccessLevel::Normal);
    set_level(&mut world, AccessLevel::SuperAdmin);
    world.game_chat('u', "/maxusers 9");
    assert!(shows(&mut world, "The room takes 9 members."));
    world.chat('u', "/kick 3");
    assert!(shows(&mut world, "Quit x 3"));
    set_level(&mut world, AccessLevel::Normal);
    world.game_chat('u', "/maxusers 8");
    assert!(shows(&mut world, "Only the room's owner can do that."));
    world.wait(2000);
    world.chat('u', "/kick 2");
    assert!(shows(&mut world, "No such command: /kick 2"));
}

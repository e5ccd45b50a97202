//! Every command over real sockets: what its sender, the others and wrong uses are told
//! (kaillera-server.md 7, 13.1).

mod lobby;
mod moderators;
mod owner;
mod quiz;
mod room;

use crate::support::{Identity, Player, config, serve};
use samara::{
    access::{AccessLevel, Rules},
    config::Config,
    kaillera::message::{GameId, ServerMessage},
    lobby::{Place, commands},
    server::Server,
};
use std::{
    cell::{Cell, RefCell},
    collections::BTreeSet,
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::Duration,
};

thread_local! {
    /// The commands that were given in this thread's test.
    static GIVEN: RefCell<BTreeSet<(Place, String)>> = const { RefCell::new(BTreeSet::new()) };
}

/// Tests with the commands each of them gives; one that does not give them all fails.
macro_rules! cases {
    ($($test:ident: $place:ident $($word:literal)+;)+) => {
        pub(super) const WORDS: &[(samara::lobby::Place, &str)] =
            &[$($((samara::lobby::Place::$place, $word),)+)+];

        mod cases {
            $(#[test]
            fn $test() {
                super::$test();
                $(super::super::was_given(samara::lobby::Place::$place, $word);)+
            })+
        }
    };
}
use cases;

fn note(place: Place, line: &str) {
    if let Some(word) = line.split(' ').next().filter(|word| word.starts_with('/')) {
        GIVEN.with_borrow_mut(|given| given.insert((place, word.to_lowercase())));
    }
}

fn was_given(place: Place, word: &str) {
    let given = GIVEN.with_borrow(|given| given.contains(&(place, word.to_owned())));
    assert!(given, "{word} was not given");
}

#[test]
fn every_command_has_a_case() {
    let tables = [
        lobby::WORDS,
        moderators::WORDS,
        owner::WORDS,
        quiz::WORDS,
        room::WORDS,
    ];
    let tested: BTreeSet<(Place, &str)> = tables.concat().into_iter().collect();
    let all: BTreeSet<(Place, &str)> = commands().collect();
    assert_eq!(tested, all);
}

/// A server, and users of any level on addresses of their own.
struct Hall {
    _server: Server,
    address: SocketAddr,
    users: Cell<u8>,
}

/// Levels by the third number of the loopback address; nobody has to wait between lines.
fn staffed() -> Config {
    let rules = "user,SUPERADMIN,127.0.5.*\nuser,ADMIN,127.0.4.*\nuser,MODERATOR,127.0.3.*\n\
                 user,ELEVATED,127.0.2.*\nipaddress,ALLOW,*";
    let parsed = Rules::parse(rules);
    assert_eq!(parsed.mistakes, []);
    let mut config = config();
    config.access.rules = Arc::new(parsed.rules);
    config.rules.chat_flood = Duration::ZERO;
    config
}

impl Hall {
    fn new() -> Self {
        Self::with(&staffed())
    }

    fn with(config: &Config) -> Self {
        let (server, address) = serve(config);
        Self {
            _server: server,
            address,
            users: Cell::new(1),
        }
    }

    fn user(&self, name: &str) -> Player {
        self.one(AccessLevel::Normal, &Identity::new(name))
    }

    fn moderator(&self, name: &str) -> Player {
        self.one(AccessLevel::Moderator, &Identity::new(name))
    }

    fn admin(&self, name: &str) -> Player {
        self.one(AccessLevel::Admin, &Identity::new(name))
    }

    fn super_admin(&self, name: &str) -> Player {
        self.one(AccessLevel::SuperAdmin, &Identity::new(name))
    }

    fn one(&self, level: AccessLevel, identity: &Identity) -> Player {
        let number = self.users.get();
        self.users.set(number + 1);
        let mut player = Player::on(host(level, number), self.address, identity);
        player.enter();
        player
    }

    /// A room of the first, with all of them in it.
    fn room<const N: usize>(&self, names: [&str; N]) -> ([Player; N], GameId) {
        let mut players = names.map(|name| self.user(name));
        let (owner, others) = players.split_first_mut().unwrap();
        let id = owner.create(b"Game");
        for other in others {
            other.join(id);
        }
        (players, id)
    }
}

fn host(level: AccessLevel, number: u8) -> IpAddr {
    let third = match level {
        AccessLevel::Banned | AccessLevel::Normal => 1,
        AccessLevel::Elevated => 2,
        AccessLevel::Moderator => 3,
        AccessLevel::Admin => 4,
        AccessLevel::SuperAdmin => 5,
    };
    IpAddr::from([127, 0, third, number])
}

/// What users say, and what they are told.
trait Speaks {
    /// A line in the lobby.
    fn says(&mut self, line: &str);

    /// A line in the room.
    fn says_here(&mut self, line: &str);

    /// Waits for an information line.
    fn told(&mut self, line: &str);

    /// Waits for a notice in the room.
    fn noticed(&mut self, line: &str);

    /// Waits for somebody's line in the lobby.
    fn hears(&mut self, name: &str, line: &str);

    /// Waits for somebody's line in the room.
    fn hears_here(&mut self, name: &str, line: &str);

    /// Says something, and is told this alone.
    fn answered(&mut self, line: &str, answer: &str);

    /// The same in the room.
    fn answered_here(&mut self, line: &str, answer: &str);

    /// The information lines that a line of its own brings.
    fn answers(&mut self, line: &str) -> Vec<String>;

    /// The notices in the room that a line of its own brings.
    fn answers_here(&mut self, line: &str) -> Vec<String>;

    /// No message so far had this in it.
    fn never_saw(&mut self, text: &str);

    /// Waits until it leaves the server with these words.
    fn leaves(&mut self, words: &str);

    /// Waits until this user is out of its room.
    fn leaves_room(&mut self);
}

/// The line that comes back last: everything before it has been received then.
const LAST: &str = "that is all";

impl Speaks for Player {
    fn says(&mut self, line: &str) {
        note(Place::Lobby, line);
        self.chat(line.as_bytes());
    }

    fn says_here(&mut self, line: &str) {
        note(Place::Room, line);
        self.game_chat(line.as_bytes());
    }

    fn told(&mut self, line: &str) {
        self.expect_message(&ServerMessage::InformationMessage {
            source: b"server",
            text: line.as_bytes(),
        });
    }

    fn noticed(&mut self, line: &str) {
        self.hears_here("Server", line);
    }

    fn hears(&mut self, name: &str, line: &str) {
        self.expect_message(&ServerMessage::Chat {
            name: name.as_bytes(),
            text: line.as_bytes(),
        });
    }

    fn hears_here(&mut self, name: &str, line: &str) {
        self.expect_message(&ServerMessage::GameChat {
            name: name.as_bytes(),
            text: line.as_bytes(),
        });
    }

    fn answered(&mut self, line: &str, answer: &str) {
        assert_eq!(self.answers(line), [answer], "{line}");
    }

    fn answered_here(&mut self, line: &str, answer: &str) {
        assert_eq!(self.answers_here(line), [answer], "{line}");
    }

    fn answers(&mut self, line: &str) -> Vec<String> {
        self.pump();
        self.echo(LAST.as_bytes());
        self.says(line);
        let seen = self.passed.len();
        self.echo(LAST.as_bytes());
        lines(self, seen, |message| match *message {
            ServerMessage::InformationMessage { source, text } => {
                assert_eq!(source, b"server");
                Some(text)
            }
            _ => None,
        })
    }

    fn answers_here(&mut self, line: &str) -> Vec<String> {
        let seen = self.passed.len();
        self.says_here(line);
        // An unknown command is answered whatever room and rights one has.
        self.game_chat(b"/that-is-all");
        self.noticed("No such command: /that-is-all");
        let mut lines = lines(self, seen, |message| match *message {
            ServerMessage::GameChat { name, text } if name != b"Error" => {
                assert_eq!(name, b"Server");
                Some(text)
            }
            _ => None,
        });
        lines.pop();
        lines
    }

    fn never_saw(&mut self, text: &str) {
        self.echo(LAST.as_bytes());
        let has = |message: &ServerMessage<'_>| {
            let line = match *message {
                ServerMessage::Chat { text, .. }
                | ServerMessage::GameChat { text, .. }
                | ServerMessage::InformationMessage { text, .. } => text,
                ServerMessage::Quit { message, .. } => message,
                _ => return false,
            };
            String::from_utf8_lossy(line).contains(text)
        };
        let seen = self.passed.iter().find(|it| has(&it.message()));
        assert!(seen.is_none(), "{self} saw {seen:?}");
    }

    fn leaves(&mut self, words: &str) {
        let (name, id) = (self.identity.name.clone(), self.id);
        self.expect_message(&ServerMessage::Quit {
            name: &name,
            id,
            message: words.as_bytes(),
        });
    }

    fn leaves_room(&mut self) {
        let (name, id) = (self.identity.name.clone(), self.id);
        self.expect_message(&ServerMessage::QuitGame { name: &name, id });
    }
}

/// The lines that `pick` takes of what the player has received since it had `seen` messages.
fn lines<'p>(
    player: &'p Player,
    seen: usize,
    pick: impl Fn(&ServerMessage<'p>) -> Option<&'p [u8]>,
) -> Vec<String> {
    let messages = player.passed[seen..].iter().map(|it| it.message());
    let lines = messages.filter_map(|message| pick(&message));
    lines
        .map(|line| String::from_utf8_lossy(line).into_owned())
        .collect()
}

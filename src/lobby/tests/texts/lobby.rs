//! Logins, lines and users who leave.

use super::*;
use crate::lobby::rules::ConnectionTypes;

const REFUSED: &str = "c: Rejected server 6 `";

pub(super) const LOGINS: &[Scene] = &[
    (
        |w| enters(w, |it| it.ping = Duration::from_secs(2)),
        &[(REFUSED, "LoginPing")],
    ),
    (
        |w| {
            w.lobby.rules.max_users = 5;
            enters(w, |_| {});
        },
        &[(REFUSED, "LoginFull")],
    ),
    (
        |w| enters(w, |it| it.address = address(200)),
        &[(REFUSED, "LoginAccess")],
    ),
    (
        |w| {
            w.lobby.rules.allow_multiple_connections = false;
            enters(w, |it| it.address = address(b'a'));
        },
        &[(REFUSED, "LoginAddress")],
    ),
    (
        |w| {
            use ConnectionType as T;
            w.lobby.rules.allowed_connection_types = ConnectionTypes([false; 6]);
            for connection_type in [T::Lan, T::Excellent, T::Good, T::Average, T::Low, T::Bad] {
                enters(w, |it| it.connection_type = connection_type);
            }
        },
        &[(
            REFUSED,
            "LoginType TypeLan TypeExcellent TypeGood TypeAverage TypeLow TypeBad",
        )],
    ),
    (
        |w| enters(w, |it| it.emulator = &[b'x'; 127]),
        &[(REFUSED, "LoginEmulatorLong")],
    ),
    (
        |w| enters(w, |it| it.emulator = b"x|y"),
        &[(REFUSED, "LoginEmulatorIllegal")],
    ),
    (
        |w| enters(w, |it| it.emulator = b"Bad 1"),
        &[(REFUSED, "LoginEmulatorBarred")],
    ),
    (
        |w| enters(w, |it| it.name = b"x|y"),
        &[(REFUSED, "LoginNameIllegal")],
    ),
    (
        |w| enters(w, |it| it.name = b"a darn one"),
        &[(REFUSED, "LoginNameFiltered")],
    ),
    (
        |w| enters(w, |it| it.name = b"  "),
        &[(REFUSED, "LoginNameEmpty")],
    ),
    (
        |w| enters(w, |it| it.name = &[b'x'; 31]),
        &[(REFUSED, "LoginNameLong")],
    ),
    (
        |w| enters(w, |it| it.name = b"A"),
        &[(REFUSED, "LoginNameTaken")],
    ),
    (
        |w| {
            w.lobby.drain(w.now, &mut w.sink);
            enters(w, |_| {});
        },
        &[
            (REFUSED, "LoginDraining"),
            ("abmxs: Info server: ", "Draining"),
            ("ab: GameChat Server: ", "Draining"),
        ],
    ),
    (
        |w| {
            w.quit('x', "");
            w.lobby.set_update(Update {
                version: "9.0.0".to_owned(),
                notes: Vec::new(),
            });
            w.login('x', login(b"x"));
        },
        &[("x: Info server: ", "Product AdminWelcome UpdateAvailable")],
    ),
];

pub(super) const CHAT: &[Scene] = &[
    (
        |w| {
            say(w, 'a', "one");
            w.chat('a', "two");
            w.chat('a', "/myip");
        },
        &[("a: Info server: ", "ChatDenied ChatFlood CommandFlood")],
    ),
    (
        |w| say(w, 'a', "a\u{1}b"),
        &[("a: Info server: ", "ChatIllegal")],
    ),
    (
        |w| say(w, 'a', &"x".repeat(151)),
        &[("a: Info server: ", "ChatLong")],
    ),
    (
        |w| say(w, 'a', "darn"),
        &[("a: Info server: ", "ChatFiltered")],
    ),
    (
        |w| {
            enters(w, |it| it.address = address(201));
            say(w, 'c', "hello");
        },
        &[("c: Info server: ", "ChatSilenced")],
    ),
    (
        |w| here(w, 'a', &"x".repeat(321)),
        &[("a: GameChat Server: ", "GameChatLong")],
    ),
    (
        |w| {
            here(w, 'a', "/muteall");
            here(w, 'b', "hello");
        },
        &[
            ("ab: GameChat Server: ", "MutedAll"),
            ("b: GameChat Server: ", "GameChatMuted"),
        ],
    ),
    (
        |w| {
            say(w, 'a', "/nothing; /me; /me waves");
            here(w, 'a', "/nothing");
        },
        &[
            ("a: Info server: ", "UnknownCommand CommandUsage UsageMe"),
            ("a: GameChat Server: ", "UnknownCommand"),
            ("abmxs: Info server: ", "Emote"),
        ],
    ),
    (
        |w| {
            let lines = "/alivecheck; /version; /myip; /msg; /msg x; /msg 1 x; /msg 9 x; /msg 2 x; \
                         /msgoff; /msgon; /ignore; /ignore 1; /ignore 3; /ignore 2; /ignore 2; \
                         /unignore 2; /unignore 2; /unignore; /ignoreall; /unignoreall; /finduser; \
                         /finduser b; /finduser z; /help";
            say(w, 'a', lines);
            say(w, 'b', "/msgoff");
            say(w, 'a', "/msg 2 x");
            say(w, 'b', "/msgon; /ignore 1");
            say(w, 'a', "/msg 2 x");
        },
        &[
            ("a: Info server: :ALIVECHECK=", "Alive"),
            (
                "a: Info server: ",
                "Version MyAddress UsageMessage MessageNoPartner MessageSelf UserNotFound \
                 MessageSent MessagesOff MessagesOn MessageRefused MessageIgnored \
                 UsageIgnore UsageUnignore IgnoreSelf IgnoreModerator IgnoreTwice IgnoreNot \
                 FoundUser FoundInRoom LevelNormal NoUsersFound",
            ),
            ("b: Info server: ", "MessageReceived"),
            (
                "abmxs: Info server: ",
                "Ignored Unignored IgnoredAll UnignoredAll",
            ),
        ],
    ),
];

pub(super) const DEPARTURES: &[Scene] = &[
    (|w| w.quit('b', ""), &[("amxs: Quit b 2 `", "QuitStandard")]),
    (
        |w| w.login('c', login(b"b")),
        &[("amxs: Quit b 2 `", "QuitReconnected")],
    ),
    (
        |w| w.depart('b', Departure::Idle),
        &[("amxs: Quit b 2 `", "QuitIdle")],
    ),
    (
        |w| w.depart('b', Departure::ConnectionLost),
        &[("amxs: Quit b 2 `", "QuitLost")],
    ),
    (
        |w| w.depart('b', Departure::Failed),
        &[("amxs: Quit b 2 `", "QuitFailed")],
    ),
    (
        |w| {
            let rules = AccessRules::parse(
                "ipaddress,DENY,192.0.2.98\nuser,ADMIN,192.0.2.1*\nemulator,DENY,EMU*",
            );
            let now = w.now;
            w.lobby
                .set_access_rules(now, Arc::new(rules.rules), &mut w.sink);
        },
        &[
            ("mxs: Quit b 2 `", "QuitAccess"),
            ("bmxs: Quit a 1 `", "QuitEmulator"),
        ],
    ),
    (
        |w| say(w, 'm', "/kick 2"),
        &[("amxs: Quit b 2 `", "QuitKicked")],
    ),
    (
        |w| say(w, 'x', "/ban 2 5"),
        &[("amxs: Quit b 2 `", "QuitBanned")],
    ),
    (
        |w| {
            w.lobby.shut_down(w.now, &mut w.sink);
            w.lobby.close_all(w.now, &mut w.sink);
        },
        &[
            ("abmxs: Info server: ", "ShuttingDown"),
            ("ab: GameChat Server: ", "ShuttingDown"),
            ("b: Quit b 2 `", "ShuttingDown"),
        ],
    ),
];

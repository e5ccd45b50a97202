use super::*;
use RoomEventKind::{Closed, Opened, Started};

fn settings() -> Settings {
    Settings {
        urls: Vec::new(),
        opened: "{owner} opened {game}".parse().unwrap(),
        started: "{owner} started {game}".parse().unwrap(),
        closed: "{owner} closed {game}".parse().unwrap(),
    }
}

fn news(kind: RoomEventKind, id: u32, owner: &str) -> RoomNews {
    RoomNews {
        kind,
        id,
        game: "Game".to_owned(),
        owner: owner.to_owned(),
        emulator: "EMU".to_owned(),
        posted: true,
    }
}

fn at(millis: u64) -> Time {
    Time::from_millis(millis)
}

#[derive(Default)]
struct Desk {
    hook: Hook,
    settings: Option<Settings>,
}

impl Desk {
    fn hear(&mut self, millis: u64, news: &RoomNews) {
        let settings = self.settings.get_or_insert_with(settings);
        self.hook
            .hear(at(millis), news, settings, &Identity::default());
    }

    /// What is said now and taken.
    fn say(&mut self, millis: u64) -> Option<String> {
        let said = self.content(millis)?;
        self.hook
            .outcome(at(millis), Outcome::Taken(Duration::ZERO));
        Some(said)
    }

    fn content(&mut self, millis: u64) -> Option<String> {
        let body = self.hook.poll(at(millis))?;
        let body: serde_json::Value = serde_json::from_str(&body).unwrap();
        assert_eq!(body["allowed_mentions"], serde_json::json!({ "parse": [] }));
        Some(body["content"].as_str().unwrap().to_owned())
    }
}

#[test]
fn a_room_is_told_of_from_beginning_to_end() {
    let mut desk = Desk::default();
    for (second, kind, expected) in [
        (1, Opened, "Ann opened Game"),
        (2, Started, "Ann started Game"),
        (3, Closed, "Ann closed Game"),
    ] {
        desk.hear(second * 1000, &news(kind, 1, "Ann"));
        assert_eq!(desk.say(second * 1000).unwrap(), expected);
        assert_eq!(desk.say(second * 1000), None);
    }
}

#[test]
fn what_is_not_posted_or_has_no_text_is_not_told() {
    let mut desk = Desk {
        settings: Some(Settings {
            started: Template::default(),
            ..settings()
        }),
        ..Desk::default()
    };
    let not_posted = RoomNews {
        posted: false,
        ..news(Closed, 1, "Ann")
    };
    desk.hear(0, &not_posted);
    desk.hear(0, &news(Started, 1, "Ann"));
    assert_eq!(desk.say(0), None);
    assert_eq!(desk.hook.take_dropped(), 0);
}

#[test]
fn a_room_that_is_over_before_it_was_told_of_is_not() {
    let mut desk = Desk::default();
    desk.hear(0, &news(Opened, 1, "Ann"));
    desk.hear(0, &news(Opened, 2, "Bob"));
    desk.hear(0, &news(Closed, 1, "Ann"));
    assert_eq!(desk.say(0).unwrap(), "Bob opened Game");
    assert_eq!(desk.say(1000), None);
    desk.hear(1000, &news(Closed, 2, "Bob"));
    assert_eq!(desk.say(1000).unwrap(), "Bob closed Game");
}

#[test]
fn the_same_opening_is_told_once_in_ten_minutes() {
    let mut desk = Desk::default();
    for (minute, said) in [(0, true), (1, false), (9, false), (10, true), (19, false)] {
        let millis = minute * 60_000;
        desk.hear(millis, &news(Opened, minute as u32, "Ann"));
        assert_eq!(desk.say(millis).is_some(), said, "minute {minute}");
    }
    desk.hear(1_200_000, &news(Opened, 99, "Bob"));
    assert!(desk.say(1_200_000).is_some());
}

#[test]
fn posts_are_half_a_second_apart() {
    let mut desk = Desk::default();
    desk.hear(0, &news(Opened, 1, "Ann"));
    desk.hear(0, &news(Opened, 2, "Bob"));
    assert!(desk.say(0).is_some());
    assert!(desk.say(499).is_none());
    assert!(desk.say(500).is_some());
}

#[test]
fn a_hook_is_left_alone_for_as_long_as_it_says() {
    let mut desk = Desk::default();
    desk.hear(0, &news(Opened, 1, "Ann"));
    assert!(desk.hook.poll(at(0)).is_some());
    let busy = Outcome::of(429, Some("7"), None, None);
    assert_eq!(busy, Outcome::Later(Duration::from_secs(7)));
    desk.hook.outcome(at(0), busy);
    assert_eq!(desk.content(6_999), None);
    assert_eq!(desk.content(7_000).unwrap(), "Ann opened Game");
    let used_up = Outcome::of(204, None, Some("0"), Some("2.5"));
    desk.hook.outcome(at(7_000), used_up);
    desk.hear(7_000, &news(Opened, 2, "Bob"));
    assert_eq!(desk.content(9_499), None);
    assert!(desk.content(9_500).is_some());
    assert_eq!(desk.hook.take_dropped(), 0);
}

#[test]
fn what_answers_mean() {
    let seconds = Duration::from_secs;
    for (status, retry, expected) in [
        (200, None, Outcome::Taken(Duration::ZERO)),
        (204, Some("9"), Outcome::Taken(Duration::ZERO)),
        (
            429,
            Some("1.5"),
            Outcome::Later(Duration::from_millis(1500)),
        ),
        (429, None, Outcome::Later(RETRY)),
        (429, Some("Fri, 31 Dec 1999"), Outcome::Later(RETRY)),
        (429, Some("-1"), Outcome::Later(RETRY)),
        (429, Some("nan"), Outcome::Later(RETRY)),
        (429, Some("99999999"), Outcome::Later(seconds(99_999_999))),
        (301, None, Outcome::Refused),
        (400, None, Outcome::Refused),
        (404, None, Outcome::Refused),
        (500, None, Outcome::Failed),
        (503, None, Outcome::Failed),
    ] {
        assert_eq!(
            Outcome::of(status, retry, None, None),
            expected,
            "{status} {retry:?}"
        );
    }
    // However long it asks for, an hour is the end.
    let mut desk = Desk::default();
    desk.hook
        .outcome(at(0), Outcome::Later(seconds(99_999_999)));
    desk.hear(3_600_000, &news(Opened, 1, "Ann"));
    assert!(desk.say(3_600_000).is_some());
}

#[test]
fn a_post_that_fails_is_tried_three_times() {
    let mut desk = Desk::default();
    desk.hear(0, &news(Opened, 1, "Ann"));
    for (millis, dropped) in [(0, 0), (30_000, 0), (60_000, 1)] {
        assert!(desk.content(millis).is_some());
        desk.hook.outcome(at(millis), Outcome::Failed);
        assert_eq!(desk.hook.take_dropped(), dropped);
    }
    assert_eq!(desk.content(90_000), None);
    desk.hear(90_000, &news(Opened, 2, "Bob"));
    assert!(desk.content(90_000).is_some());
    desk.hook.outcome(at(90_000), Outcome::Refused);
    assert_eq!(desk.hook.take_dropped(), 1);
}

#[test]
fn a_queue_has_a_bound_and_old_news_are_dropped() {
    let mut desk = Desk::default();
    desk.hook
        .outcome(at(0), Outcome::Later(Duration::from_secs(400)));
    for id in 0..100 {
        desk.hear(0, &news(Opened, id, &format!("User {id}")));
    }
    assert_eq!(desk.hook.take_dropped(), 100 - QUEUE as u64);
    assert_eq!(desk.content(400_000), None);
    assert_eq!(desk.hook.take_dropped(), QUEUE as u64);
}

#[test]
fn a_content_is_cut() {
    let mut desk = Desk::default();
    desk.hear(0, &news(Opened, 1, &"\u{1F600}".repeat(3000)));
    assert_eq!(desk.content(0).unwrap().chars().count(), CONTENT);
}

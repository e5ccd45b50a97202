use super::*;
use crate::kaillera::{MAX_MESSAGE, bundle::Bundle};
use proptest::prelude::*;

const CHAT: u8 = 0x07;
const GAME_DATA: u8 = 0x12;

fn at(ms: u64) -> Time {
    Time::from_millis(ms)
}

/// A channel in the lobby, whose user has spoken since its login.
fn in_lobby() -> Channel {
    let mut channel = Channel::new(at(0));
    channel.logged_in();
    assert!(channel.accept(at(0), MessageNumber(0)).is_new());
    channel
}

fn transmit(channel: &mut Channel, now: Time) -> Option<Vec<(u16, Vec<u8>)>> {
    let mut buf = vec![0; MAX_MESSAGE + 252];
    let length = channel.poll_transmit(now, &mut buf)?;
    let bundle = Bundle::parse(&buf[..length]).unwrap();
    let messages = bundle.newest_first();
    Some(
        messages
            .map(|m| (m.number.0, [&[m.kind], m.body].concat()))
            .collect(),
    )
}

fn numbers(channel: &mut Channel, now: Time) -> Option<Vec<u16>> {
    Some(
        transmit(channel, now)?
            .into_iter()
            .map(|(number, _)| number)
            .collect(),
    )
}

#[test]
fn each_message_goes_out_once_as_the_newest_with_four_older() {
    let mut channel = in_lobby();
    for n in 0..7 {
        channel.send(at(n), &[CHAT, n as u8, 0]);
    }
    let sent: Vec<_> = std::iter::from_fn(|| numbers(&mut channel, at(7))).collect();
    assert_eq!(sent[0], [0]);
    assert_eq!(sent[3], [3, 2, 1, 0]);
    assert_eq!(sent[4], [4, 3, 2, 1, 0]);
    assert_eq!(sent[6], [6, 5, 4, 3, 2]);
    assert_eq!(sent.len(), 7);
}

#[test]
fn older_messages_are_left_out_of_a_datagram_that_would_be_too_long() {
    let mut channel = in_lobby();
    for n in 0..5u8 {
        channel.send(at(0), &[n; 500]);
    }
    let mut buf = [0; 4352];
    while let Some(length) = channel.poll_transmit(at(0), &mut buf) {
        assert!(length <= MAX_DATAGRAM);
        assert!(Bundle::parse(&buf[..length]).unwrap().len() <= 2);
    }
    channel.send(at(0), &[9; MAX_MESSAGE]);
    let length = channel.poll_transmit(at(0), &mut buf).unwrap();
    assert_eq!(length, 5 + MAX_MESSAGE, "alone, however long");
}

#[test]
fn lobby_messages_are_paced_and_packed_when_many_wait() {
    let mut channel = in_lobby();
    let mut backlog = Backlog::new(10_000);
    for n in 0..10u8 {
        backlog.push(&[CHAT, n, 0]).unwrap();
    }
    channel.feed(at(100), &mut backlog);
    assert_eq!(
        numbers(&mut channel, at(100)).unwrap(),
        [3, 2, 1, 0],
        "four new in one datagram"
    );
    assert_eq!(numbers(&mut channel, at(100)), None);
    channel.feed(at(110), &mut backlog);
    assert_eq!(
        numbers(&mut channel, at(110)),
        None,
        "not before the interval is over"
    );
    assert_eq!(channel.poll_timeout(true), Some(at(120)));
    channel.feed(at(120), &mut backlog);
    assert_eq!(
        numbers(&mut channel, at(120)).unwrap(),
        [7, 6, 5, 4, 3, 2, 1, 0]
    );
    channel.feed(at(140), &mut backlog);
    assert_eq!(
        numbers(&mut channel, at(140)).unwrap(),
        [8, 7, 6, 5, 4],
        "the last ones singly"
    );
    assert_eq!(numbers(&mut channel, at(140)).unwrap(), [9, 8, 7, 6, 5]);
}

#[test]
fn the_pace_holds_wherever_an_interval_begins() {
    let mut channel = in_lobby();
    let mut backlog = Backlog::new(10_000);
    let steps = [
        (100, 1, 1),
        (119, 6, 3),
        (120, 0, 1),
        (138, 0, 0),
        (139, 0, 2),
    ];
    for (ms, more, expected) in steps {
        (0..more).for_each(|n| backlog.push(&[CHAT, n, 0]).unwrap());
        let before = backlog.len();
        channel.feed(at(ms), &mut backlog);
        assert_eq!((before - backlog.len()) / 5, expected, "at {ms} ms");
    }
}

#[test]
fn game_data_overtakes_the_backlog() {
    let mut channel = in_lobby();
    let mut backlog = Backlog::new(10_000);
    for n in 0..20u8 {
        backlog.push(&[CHAT, n, 0]).unwrap();
    }
    channel.feed(at(0), &mut backlog);
    while transmit(&mut channel, at(0)).is_some() {}
    channel.send(at(1), &[GAME_DATA, 0, 1, 0, 9]);
    let sent = transmit(&mut channel, at(1)).unwrap();
    assert_eq!(sent[0], (4, vec![GAME_DATA, 0, 1, 0, 9]));
}

#[test]
fn a_lost_tail_is_repeated_twice() {
    let mut channel = in_lobby();
    channel.send(at(0), &[CHAT, 1, 0]);
    assert_eq!(numbers(&mut channel, at(0)).unwrap(), [0]);
    for (due, _) in [(250, 1), (1000, 2)] {
        assert_eq!(channel.poll_timeout(false), Some(at(due)));
        channel.handle_timeout(at(due - 1));
        assert_eq!(numbers(&mut channel, at(due - 1)), None);
        channel.handle_timeout(at(due));
        assert_eq!(
            numbers(&mut channel, at(due)).unwrap(),
            [0],
            "no new number"
        );
    }
    assert_eq!(channel.poll_timeout(false), None);
}

#[test]
fn what_no_buffer_was_left_for_comes_with_the_repeats_of_a_tail() {
    let mut channel = in_lobby();
    channel.send(at(100), &[CHAT, 1, 0]);
    channel.send(at(100), &[CHAT, 2, 0]);
    channel.skip_transmit(at(100));
    assert!(!channel.has_transmit());
    assert_eq!(channel.poll_timeout(false), Some(at(350)));
    channel.handle_timeout(at(350));
    assert_eq!(numbers(&mut channel, at(350)).unwrap(), [1, 0]);
}

#[test]
fn no_unasked_repeat_near_the_end_of_the_numbers() {
    let mut channel = in_lobby();
    for n in 0..65_520u32 {
        channel.send(at(0), &[CHAT, n as u8, 0]);
        transmit(&mut channel, at(0)).unwrap();
    }
    channel.handle_timeout(at(250));
    assert_eq!(numbers(&mut channel, at(250)), None);
    for n in 0..30u32 {
        channel.send(at(300), &[CHAT, n as u8, 0]);
        transmit(&mut channel, at(300)).unwrap();
    }
    channel.handle_timeout(at(550));
    assert_eq!(numbers(&mut channel, at(550)).unwrap(), [13, 12, 11, 10, 9]);
}

#[test]
fn a_client_that_repeats_itself_is_answered_seldom_and_not_for_ever() {
    let ping = Duration::from_millis(80);
    let mut channel = in_lobby();
    for n in 0..12u8 {
        channel.send(at(0), &[CHAT, n, 0]);
        transmit(&mut channel, at(0)).unwrap();
    }
    channel.nothing_new(at(10), ping);
    assert_eq!(numbers(&mut channel, at(10)).unwrap().len(), 5);
    channel.nothing_new(at(89), ping);
    assert_eq!(numbers(&mut channel, at(89)), None);
    channel.nothing_new(at(90), ping);
    assert_eq!(
        numbers(&mut channel, at(90)).unwrap(),
        [11, 10, 9, 8, 7, 6, 5, 4, 3]
    );
    let answers = (1..10_000)
        .filter(|n| {
            channel.nothing_new(at(90 + n * 100), ping);
            transmit(&mut channel, at(90 + n * 100)).is_some()
        })
        .count();
    assert_eq!(answers, ANSWERS - 2);
    channel.accept(at(2_000_000), MessageNumber(1));
    channel.nothing_new(at(2_000_100), ping);
    assert_eq!(
        numbers(&mut channel, at(2_000_100)).unwrap().len(),
        5,
        "heard something new"
    );
}

#[test]
fn all_ready_is_repeated_until_the_first_data_and_stays_among_the_repeats() {
    let mut channel = in_lobby();
    let mut backlog = Backlog::new(10_000);
    for kind in [
        Kind::GameStatus,
        Kind::StartGame,
        Kind::GameStatus,
        Kind::AllReady,
    ] {
        channel.send(at(0), &[kind as u8, 0]);
    }
    for n in 0..9u8 {
        backlog.push(&[CHAT, n, 0]).unwrap();
    }
    channel.feed(at(0), &mut backlog);
    while transmit(&mut channel, at(0)).is_some() {}
    channel.feed(at(50), &mut backlog);
    assert_eq!(transmit(&mut channel, at(50)), None, "held back");
    let mut repeats = 0;
    let mut now = 50;
    while let Some(due) = channel
        .poll_timeout(true)
        .filter(|_| repeats < READY_REPEATS)
    {
        now = due.as_nanos() / 1_000_000;
        channel.handle_timeout(due);
        let sent = transmit(&mut channel, due).unwrap();
        assert!(
            sent.iter()
                .any(|(_, message)| message[0] == Kind::AllReady as u8)
        );
        repeats += 1;
    }
    assert_eq!((repeats, now), (20, 100 + 19 * 250));
    channel.handle_timeout(at(now + 250));
    channel.feed(at(now + 250), &mut backlog);
    assert!(
        transmit(&mut channel, at(now + 250)).is_some(),
        "not held for ever"
    );
}

#[test]
fn the_first_data_ends_the_repeats_and_lets_the_lobby_speak() {
    let mut channel = in_lobby();
    let mut backlog = Backlog::new(10_000);
    channel.send(at(0), &[Kind::StartGame as u8, 0]);
    channel.send(at(0), &[Kind::AllReady as u8, 0]);
    for n in 0..5u8 {
        backlog.push(&[CHAT, n, 0]).unwrap();
    }
    channel.feed(at(0), &mut backlog);
    while transmit(&mut channel, at(0)).is_some() {}
    assert_eq!(backlog.len(), 5);
    channel.game_data();
    channel.feed(at(20), &mut backlog);
    assert!(backlog.is_empty());
    assert!(transmit(&mut channel, at(20)).is_some());
    assert_eq!(
        channel.poll_timeout(false),
        None,
        "a running game has no tail repeats"
    );
}

#[test]
fn an_unproven_address_is_sent_at_most_three_times_what_it_sent() {
    let mut channel = Channel::new(at(0));
    let (mut received, mut sent) = (0, 0);
    let mut buf = [0; 4352];
    for n in 0..200u64 {
        let now = at(n * 100);
        if n % 7 == 0 {
            channel.heard(now, 11);
            received += 11;
            channel.send(now, &[Kind::ServerAck as u8; 18]);
        } else {
            channel.nothing_new(now, Duration::ZERO);
        }
        channel.handle_timeout(now);
        while let Some(length) = channel.poll_transmit(now, &mut buf) {
            sent += length;
        }
        assert!(sent <= 3 * received, "{sent} > 3 * {received}");
    }
    assert!(sent > 0);
}

#[test]
fn starting_over_forgets_the_numbers() {
    let mut channel = in_lobby();
    channel.accept(at(0), MessageNumber(40));
    channel.send(at(0), &[CHAT, 1, 0]);
    channel.reset(at(10));
    assert_eq!(channel.accept(at(10), MessageNumber(0)), Order::First);
    channel.heard(at(10), 100);
    assert_eq!(numbers(&mut channel, at(10)), None);
    channel.send(at(10), &[CHAT, 2, 0]);
    assert_eq!(numbers(&mut channel, at(10)).unwrap(), [0]);
}

proptest! {
    /// A model client that accepts what n02 accepts gets every message exactly once, in order,
    /// as long as fewer datagrams in a row are lost than messages are repeated.
    #[test]
    fn a_client_gets_everything_despite_short_losses(
        lost in prop::collection::vec(prop::bool::weighted(0.3), 300)
    ) {
        let mut channel = in_lobby();
        let mut backlog = Backlog::new(1 << 16);
        let (mut last, mut got, mut in_a_row) = (None::<u16>, Vec::new(), 0);
        let mut written = 0u16;
        for (n, lose) in lost.into_iter().enumerate() {
            let now = at(n as u64 * 7);
            if n % 3 == 0 {
                backlog.push(&[CHAT, written as u8, 0]).unwrap();
                written += 1;
            }
            if n % 5 == 0 {
                channel.send(now, &[GAME_DATA, written as u8, 0]);
                written += 1;
            }
            channel.feed(now, &mut backlog);
            while let Some(messages) = transmit(&mut channel, now) {
                if lose && in_a_row < 3 {
                    in_a_row += 1;
                    continue;
                }
                in_a_row = 0;
                for (number, _) in messages.iter().rev() {
                    let next = last.map_or(0, |last| last + 1);
                    prop_assert!(*number <= next, "a hole before {}", number);
                    if *number == next {
                        got.push(*number);
                        last = Some(next);
                    }
                }
            }
        }
        prop_assert!(got.is_sorted());
    }
}

#[test]
fn an_unproven_address_misses_nothing_when_its_credit_cuts_a_packed_bundle() {
    let mut channel = Channel::new(at(0));
    let mut backlog = Backlog::new(10_000);
    for n in 0..40u8 {
        backlog.push(&[CHAT, n, 0, 0, 0, 0, 0, 0]).unwrap();
    }
    let mut next = 0;
    for n in 0..100 {
        let now = at(n * 20);
        channel.heard(now, 7);
        channel.feed(now, &mut backlog);
        while let Some(numbers) = numbers(&mut channel, now) {
            assert!(*numbers.last().unwrap() <= next, "{numbers:?} after {next}");
            next = numbers[0] + 1;
        }
    }
    assert_eq!(next, 40);
}

/// Whoever logged in with somebody else's address can make it receive no more than this, repeats
/// included; the first word of a user lets everything go that has waited.
#[test]
fn a_user_that_says_nothing_after_its_login_gets_so_many_bytes() {
    let mut channel = Channel::new(at(0));
    assert!(channel.accept(at(0), MessageNumber(0)).is_new());
    channel.logged_in();
    assert!(!channel.has_spoken());
    let mut backlog = Backlog::new(1 << 20);
    let message = [&[CHAT][..], &[b'x'; 100]].concat();
    let mut buf = vec![0; MAX_MESSAGE + 252];
    let mut bytes = 0;
    let mut ms = 0;
    let mut poll = |channel: &mut Channel, backlog: &mut Backlog, ms: u64| {
        channel.nothing_new(at(ms), Duration::ZERO);
        channel.handle_timeout(at(ms));
        channel.feed(at(ms), backlog);
        let mut sent = 0;
        while let Some(length) = channel.poll_transmit(at(ms), &mut buf) {
            sent += length;
        }
        sent
    };
    for _ in 0..4000 {
        backlog.push(&message).unwrap();
        ms += 20;
        bytes += poll(&mut channel, &mut backlog, ms);
    }
    assert!(bytes <= UNHEARD && bytes > UNHEARD - 2000, "{bytes}");
    let due = channel.poll_timeout(true);
    assert!(
        due.is_none_or(|due| due > at(ms)),
        "nobody turns in vain: {due:?}"
    );
    assert!(channel.accept(at(ms), MessageNumber(1)).is_new());
    assert!(channel.has_spoken());
    while !backlog.is_empty() {
        ms += 20;
        assert!(poll(&mut channel, &mut backlog, ms) > 0);
    }
}

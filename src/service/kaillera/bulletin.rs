//! What others than users are shown: the lobby as it was a moment ago, and news of its rooms.

use crate::{
    lobby::{RoomEvent, RoomEventKind, Snapshot},
    timer::Time,
};
use crossbeam_queue::ArrayQueue;
use encoding_rs::Encoding;
use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

/// News that may wait for whoever passes them on.
const NEWS: usize = 256;

/// Where the lobby leaves what outsiders ask for; it looks here at the end of its turns and
/// makes a snapshot only if somebody wants one.
#[derive(Debug)]
pub(super) struct Bulletin {
    wanted: AtomicBool,
    newest: Mutex<Option<Dated>>,
    news: Option<ArrayQueue<RoomNews>>,
}

#[derive(Clone, Debug)]
struct Dated {
    at: Time,
    snapshot: Arc<Snapshot>,
}

/// Something that happened to a room, with texts that last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoomNews {
    /// What happened.
    pub kind: RoomEventKind,
    /// The room's number.
    pub id: u32,
    /// The game's name.
    pub game: String,
    /// The owner's name.
    pub owner: String,
    /// The owner's emulator.
    pub emulator: String,
    /// Whether it is to be posted; what is not is only counted.
    pub posted: bool,
}

impl RoomNews {
    pub(super) fn new(event: &RoomEvent<'_>, charset: &'static Encoding) -> Self {
        let decode = |bytes: &[u8]| {
            let (text, _) = charset.decode_without_bom_handling(bytes);
            text.into_owned()
        };
        Self {
            kind: event.kind,
            id: event.id.0,
            game: decode(event.game),
            owner: decode(event.owner),
            emulator: decode(event.emulator),
            posted: event.posted,
        }
    }
}

impl Bulletin {
    /// With a place for news, if somebody passes them on.
    pub(super) fn new(with_news: bool) -> Self {
        Self {
            wanted: AtomicBool::new(false),
            newest: Mutex::new(None),
            news: with_news.then(|| ArrayQueue::new(NEWS)),
        }
    }

    /// The newest snapshot, if it is no older than `age`.
    pub(super) fn newest(&self, now: Time, age: Duration) -> Option<Arc<Snapshot>> {
        let newest = self.lock().clone();
        let fresh = newest.filter(|it| now.since(it.at) <= age);
        fresh.map(|it| it.snapshot)
    }

    /// Asks for a new one; false if that has been done already.
    pub(super) fn want(&self) -> bool {
        !self.wanted.swap(true, Ordering::AcqRel)
    }

    /// Hangs up a new one if it is wanted.
    pub(super) fn publish(&self, now: Time, make: impl FnOnce() -> Snapshot) {
        if !self.wanted.load(Ordering::Acquire) {
            return;
        }
        let snapshot = Arc::new(make());
        let before = self.lock().replace(Dated { at: now, snapshot });
        self.wanted.store(false, Ordering::Release);
        drop(before);
    }

    /// Keeps the news that `make` makes, if anybody passes news on; false if there is no room.
    pub(super) fn tell(&self, make: impl FnOnce() -> RoomNews) -> bool {
        let pushed = self.news.as_ref().map(|news| news.push(make()));
        !matches!(pushed, Some(Err(_)))
    }

    pub(super) fn next_news(&self) -> Option<RoomNews> {
        self.news.as_ref()?.pop()
    }

    /// Nothing done under the lock can panic half way, so poison means nothing.
    fn lock(&self) -> MutexGuard<'_, Option<Dated>> {
        self.newest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kaillera::message::GameId;
    use encoding_rs::SHIFT_JIS;

    fn seconds(seconds: u64) -> Time {
        Time::from_millis(seconds * 1000)
    }

    #[test]
    fn a_snapshot_is_made_when_it_is_wanted_and_grows_old() {
        let bulletin = Bulletin::new(false);
        let age = Duration::from_secs(5);
        bulletin.publish(seconds(1), || panic!("nobody wants one"));
        assert_eq!(bulletin.newest(seconds(1), age), None);
        assert!(bulletin.want());
        assert!(!bulletin.want());
        bulletin.publish(seconds(2), Snapshot::default);
        assert_eq!(bulletin.newest(seconds(7), age), Some(Arc::default()));
        assert_eq!(bulletin.newest(seconds(8), age), None);
        assert!(bulletin.want());
    }

    #[test]
    fn news_have_a_bound_and_are_decoded() {
        let event = RoomEvent {
            kind: RoomEventKind::Opened,
            id: GameId(7),
            game: &[0x95, 0x5C],
            owner: b"Ann",
            emulator: b"EMU",
            posted: true,
        };
        let news = || RoomNews::new(&event, SHIFT_JIS);
        assert!(Bulletin::new(false).tell(|| panic!("nobody passes it on")));
        let bulletin = Bulletin::new(true);
        assert!((0..NEWS).all(|_| bulletin.tell(news)));
        assert!(!bulletin.tell(news));
        assert_eq!(bulletin.next_news().unwrap().game, "\u{8868}");
        assert!(bulletin.tell(news));
    }
}

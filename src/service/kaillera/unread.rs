//! Which messages of a datagram are new.

use crate::{
    kaillera::{
        Channel,
        bundle::{Bundle, MAX_MESSAGES, Order},
    },
    timer::Time,
};
use std::ops::Range;

/// The new messages of one datagram, as places in it.
#[derive(Debug)]
pub(super) struct Unread {
    places: [Place; MAX_MESSAGES],
    len: usize,
    gap: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Place {
    start: u16,
    end: u16,
}

impl Unread {
    /// Counts the messages of `bundle` that are new to `channel` as received.
    pub(super) fn take(at: Time, bundle: &Bundle<'_>, channel: &mut Channel) -> Self {
        let mut unread = Self {
            places: Default::default(),
            len: 0,
            gap: false,
        };
        for message in bundle.oldest_first() {
            let order = channel.accept(at, message.number);
            if !order.is_new() {
                continue;
            }
            unread.gap |= matches!(order, Order::Newer { .. });
            if let Some(place) = unread.places.get_mut(unread.len) {
                *place = Place {
                    start: message.start,
                    end: message.end(),
                };
                unread.len += 1;
            }
        }
        unread
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether messages before or between them are lost for good.
    pub(super) fn has_gap(&self) -> bool {
        self.gap
    }

    /// Where each message (kind and body) lies in the datagram, oldest first, and whether it
    /// is the last one.
    pub(super) fn ranges(&self) -> impl Iterator<Item = (Range<usize>, bool)> {
        let places = self.places.iter().take(self.len).enumerate();
        places.map(|(position, place)| {
            let range = usize::from(place.start)..usize::from(place.end);
            (range, position + 1 == self.len)
        })
    }
}

//! Section `[games]`: what happens while a game runs.

use super::{
    document::Document,
    section::{BYTES, SECONDS},
};
use crate::{
    lobby::{
        rules::{Rules, WatcherNumber},
        sync::Sensitivity,
    },
    service::kaillera::Limits,
};

const MEBIBYTES_256: u64 = 256 << 20;
const WATCHER_NUMBERS: &str = "\"next\" or \"zero\"";

pub(super) fn games(document: &mut Document<'_>, rules: &mut Rules, limits: &mut Limits) {
    let Rules {
        lag_window,
        autofire,
        drop_stalled,
        watching,
        watcher_number,
        come_back,
        choose_delay,
        passwords,
        ..
    } = rules;
    let mut section = document.section("games");
    section.duration("lagstat_duration_s", 10..=3600, SECONDS, lag_window);
    let mut level = autofire.level();
    let highest = Sensitivity::MAX.into();
    let unit = "sensitivity; 0 is off";
    section.integer("autofire_sensitivity", 0..=highest, unit, &mut level);
    *autofire = Sensitivity::new(level).unwrap_or_default();
    section.boolean("drop_stalled", drop_stalled);
    section.boolean("choose_delay", choose_delay);
    section.boolean("passwords", passwords);
    section.boolean("watching", watching);
    let number = |word: &str| match word {
        "next" => Some(WatcherNumber::Next),
        "zero" => Some(WatcherNumber::Zero),
        _ => None,
    };
    section.text("watcher_number", WATCHER_NUMBERS, number, watcher_number);
    section.boolean("come_back", come_back);
    let unit = "bytes; 0 is none";
    section.integer("replay", 0..=MEBIBYTES_256, unit, &mut limits.replay);
    let total = &mut limits.replay_total;
    section.integer("replay_total", 0..=(1 << 40), BYTES, total);
    // The smallest recording holds any single step of a game.
    if limits.replay != 0 {
        limits.replay = limits.replay.max(16 << 10);
    }
}

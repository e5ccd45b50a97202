//! Samara as its users see it: the public surface, a module per feature.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

#[path = "../support/mod.rs"]
mod support;

mod access;
mod commands;
mod connect;
mod defects;
#[cfg(unix)]
mod emulinker;
mod games;
mod garbage;
mod half_open;
mod http;
#[cfg(unix)]
mod journal;
mod leaving;
mod lists;
mod login;
mod moderation;
mod real_time;
mod recording;
mod refusals;
mod relay;
#[cfg(unix)]
mod reload;
mod session_in_hex;
mod starting;
mod stop;
mod tcp;
mod updates;
mod vectors;
mod world;
#[cfg(unix)]
mod wrappers;

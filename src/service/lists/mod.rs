//! Tells the world about the server: the master lists that players choose from, and web hooks.
//!
//! Nothing here is on the way of a datagram. A thread of its own does the calls, which may take as
//! long as their timeouts allow; it asks the lobby for a snapshot when a report is due
//! ([`Census::snapshot`]) and takes the news of rooms from a bounded queue
//! ([`Census::next_news`]). What is reported is decided without a socket and a clock: [`report`]
//! makes requests, [`hook`] decides what is posted when.
//!
//! Once a day it may look whether there is a newer version. Both lists, all hooks and that are off
//! unless they are configured, and nothing else calls anybody.

mod client;
pub mod hook;
pub mod report;
mod reporter;
mod rounds;
mod template;
mod update;

pub use client::is_url;
pub use template::{PLACEHOLDERS, Template};

use crate::{
    net::Clock,
    service::kaillera::{Census, Herald},
};
use reporter::Reporter;
use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

/// Where EmuLinker's list takes reports.
pub const EMULINKER_URL: &str = "http://kaillerareborn.2manygames.fr/touch_list.php";
/// Where Kaillera's list takes reports.
pub const KAILLERA_URL: &str = "http://www.kaillera.com/touch_server.php";

/// What the world is told the server is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// The server's name.
    pub name: String,
    /// Where it is.
    pub location: String,
    /// Where there is more to read; may be empty.
    pub website: String,
    /// Where it can be reached; empty for the address that reports come from.
    pub address: String,
    /// The port clients say hello to.
    pub port: u16,
    /// Users at a time.
    pub max_users: u32,
    /// Rooms at a time; 0 is no limit.
    pub max_games: u32,
}

/// Whom the thread tells, and what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// What they are told the server is.
    pub identity: Identity,
    /// Where EmuLinker's list takes reports, if it gets any.
    pub emulinker: Option<String>,
    /// Where Kaillera's list takes reports, if it gets any.
    pub kaillera: Option<String>,
    /// Until the first reports.
    pub first: Duration,
    /// From reports to the next ones.
    pub every: Duration,
    /// Where it is looked up whether there is a newer version, if it is.
    pub updates: Option<String>,
    /// The hooks, and what they are told.
    pub hooks: hook::Settings,
}

impl Settings {
    /// Reports after 10 seconds and then every minute (kaillera-server.md 10); to nobody.
    pub fn new(identity: Identity) -> Self {
        Self {
            identity,
            emulinker: None,
            kaillera: None,
            updates: None,
            first: Duration::from_secs(10),
            every: Duration::from_secs(60),
            hooks: hook::Settings::default(),
        }
    }

    /// Whether there is anybody to tell.
    pub fn is_needed(&self) -> bool {
        self.has_news() || self.updates.is_some()
    }

    /// Whether there is anybody who wants to hear of rooms.
    pub fn has_news(&self) -> bool {
        self.emulinker.is_some() || self.kaillera.is_some() || !self.hooks.urls.is_empty()
    }
}

/// The thread. Dropping this tells it to end, and does not wait: it may be in a call for as long
/// as the call's timeouts.
#[derive(Debug)]
pub struct ListsThread {
    stopped: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl ListsThread {
    /// Starts it; `census` shows the server whose times are `clock`'s, `herald` tells it of a newer
    /// version.
    ///
    /// # Errors
    ///
    /// When the system refuses a thread.
    pub fn start(
        settings: Settings,
        census: Census,
        herald: Herald,
        clock: Clock,
    ) -> io::Result<Self> {
        let stopped = Arc::new(AtomicBool::new(false));
        let its = stopped.clone();
        let thread = thread::Builder::new().name("lists".to_owned());
        let thread =
            thread.spawn(move || Reporter::new(settings, census, herald, clock).run(&its))?;
        Ok(Self { stopped, thread })
    }
}

impl Drop for ListsThread {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::Release);
        self.thread.thread().unpark();
    }
}

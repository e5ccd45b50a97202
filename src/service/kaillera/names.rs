//! The host names of access rules, looked up on a thread of their own: a name server may take as
//! long as it likes.

use super::{exchange::Exchange, mail::LobbyMail, post::Post};
use crate::access::Names;
use std::{
    io,
    net::{IpAddr, ToSocketAddrs},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

/// How long an address is taken to be a host's.
const REFRESH: Duration = Duration::from_secs(60);
/// How long the thread waits when the lobby has no room for its mail.
const RETRY: Duration = Duration::from_secs(1);

/// How a name becomes an address.
pub type Resolve = fn(&str) -> Option<IpAddr>;

/// The thread. Dropping this tells it to end, and does not wait: it may be waiting for a name
/// server.
#[derive(Debug)]
pub struct NamesThread {
    desk: Arc<Desk>,
    thread: JoinHandle<()>,
}

#[derive(Debug)]
struct Desk {
    exchange: Arc<Exchange>,
    hosts: Mutex<Vec<String>>,
    stopped: AtomicBool,
    resolve: Resolve,
}

impl NamesThread {
    pub(super) fn start(exchange: &Arc<Exchange>, resolve: Resolve) -> io::Result<Self> {
        let desk = Arc::new(Desk {
            exchange: exchange.clone(),
            hosts: Mutex::default(),
            stopped: AtomicBool::new(false),
            resolve,
        });
        let its = desk.clone();
        let thread = thread::Builder::new().name("names".to_owned());
        let thread = thread.spawn(move || its.run())?;
        Ok(Self { desk, thread })
    }

    /// Puts `hosts` in the place of those it looks up, and has it look at once.
    pub fn set_hosts(&self, hosts: impl IntoIterator<Item = String>) {
        let mut hosts: Vec<String> = hosts.into_iter().collect();
        hosts.sort_unstable();
        hosts.dedup();
        *self.desk.hosts() = hosts;
        self.thread.thread().unpark();
    }
}

impl Drop for NamesThread {
    fn drop(&mut self) {
        self.desk.stopped.store(true, Ordering::Release);
        self.thread.thread().unpark();
    }
}

impl Desk {
    fn run(&self) {
        let mut known = Names::default();
        while !self.stopped.load(Ordering::Acquire) {
            thread::park_timeout(self.look_up(&mut known));
        }
    }

    /// Looks up every name, tells the lobby if that changes what is `known`, and says when to do
    /// it again.
    fn look_up(&self, known: &mut Names) -> Duration {
        let hosts = self.hosts().clone();
        let found = hosts.into_iter().filter_map(|host| {
            let address = (self.resolve)(&host);
            if address.is_none() {
                log::warn!("{host} has no address: rules about it match nobody");
            }
            Some((host, address?))
        });
        let names: Names = found.collect();
        if names != *known && !self.tell(names.clone()) {
            return RETRY;
        }
        *known = names;
        REFRESH
    }

    fn tell(&self, names: Names) -> bool {
        let post = Post::new(self.exchange.clone());
        let is_told = post.lobby(LobbyMail::Names(Box::new(names))).is_ok();
        post.ring();
        is_told
    }

    fn hosts(&self) -> MutexGuard<'_, Vec<String>> {
        self.hosts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The first address that the system's resolver knows; as in Java an IPv4 one if there is one.
pub fn resolve(host: &str) -> Option<IpAddr> {
    let addresses = (host, 0).to_socket_addrs().ok()?;
    let addresses: Vec<IpAddr> = addresses.map(|address| address.ip()).collect();
    let first = addresses.iter().find(|address| address.is_ipv4());
    first.or(addresses.first()).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        access::Rules,
        net::Service as _,
        service::kaillera::{Settings, build},
        timer::Time,
    };
    use std::sync::atomic::AtomicU8;

    /// The last number of the host's address; without one it has none.
    static LAST: AtomicU8 = AtomicU8::new(0);

    fn moving(_host: &str) -> Option<IpAddr> {
        let last = LAST.load(Ordering::Relaxed);
        (last > 0).then(|| IpAddr::from([192, 0, 2, last]))
    }

    /// kaillera-server.md 5.3: only the address of the last minute's look-up counts.
    #[test]
    fn a_host_that_moves_is_found_again_each_minute() {
        let mut settings = Settings::default();
        let rules = Rules::parse("ipaddress,DENY,dns:a.example").rules;
        settings.access.rules = Arc::new(rules);
        let mut parts = build(settings, 1, 0, &[27888]);
        let exchange = parts.control.exchange.clone();
        let desk = Desk {
            exchange: exchange.clone(),
            hosts: Mutex::new(vec!["a.example".to_owned()]),
            stopped: AtomicBool::new(false),
            resolve: moving,
        };
        let mut known = Names::default();
        for last in [1, 2, 0, 2] {
            LAST.store(last, Ordering::Relaxed);
            assert_eq!(desk.look_up(&mut known), Duration::from_secs(60));
            for _ in 0..3 {
                parts.loops[0].turn(Time::ZERO);
            }
            for other in 1..=3 {
                let address = IpAddr::from([192, 0, 2, other]);
                let is_open = exchange.gate.is_open(Time::ZERO, address);
                assert_eq!(is_open, other != last, "{other} while it is {last}");
            }
        }
    }
}

//! Messages per second through the real server, beside a bare echo on the same machine.
//!
//! ```text
//! cargo bench --bench udp
//! ```
//!
//! A driver thread plays many clients in two-player rooms, each with one input under way: a
//! frame that comes back is answered by the next input at once. The same driver then plays
//! against an echo that receives and sends in the same batches, knows no protocol, and answers
//! with datagrams as long as Samara's were. Runs alternate, and what is printed is medians of
//! the pairs: the machine's speed cancels out of the ratio of the rates. Processor time is that
//! of the server's threads alone, so the difference between the two is Samara's own work.
//!
//! Runs on Linux only, where one socket can speak for many addresses.

#![allow(missing_docs)]

#[cfg(target_os = "linux")]
#[path = "../tools/load/player.rs"]
#[expect(dead_code, reason = "the load tool uses more of it")]
mod player;

#[cfg(target_os = "linux")]
#[path = "../tools/load/wire/mod.rs"]
#[expect(dead_code, reason = "the load tool uses more of it")]
mod wire;

#[cfg(target_os = "linux")]
#[path = "udp/clients.rs"]
mod clients;

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("skipped: only Linux lets one socket speak for many addresses");
}

#[cfg(target_os = "linux")]
fn main() -> std::io::Result<()> {
    linux::run()
}

#[cfg(target_os = "linux")]
mod linux {
    use crate::{
        clients::{Clients, Played},
        wire::Echo,
    };
    use samara::{config::Config, server::Server};
    use std::{fs, io, net::Ipv4Addr, time::Duration};

    const CLIENTS: usize = 128;
    const PAIRS: usize = 7;
    /// Messages of each client before it counts.
    const WARM_UP: u32 = 300;
    /// About as long as one run takes.
    const RUN: Duration = Duration::from_millis(1500);

    /// One run of one server.
    #[derive(Clone, Copy, Debug)]
    struct Run {
        rate: f64,
        /// Nanoseconds of the server's threads per message, if the system tells.
        cost: Option<f64>,
    }

    pub(crate) fn run() -> io::Result<()> {
        // `cargo test --benches` runs this too, to see that it works.
        let pairs = if std::env::args().any(|it| it == "--bench") {
            PAIRS
        } else {
            1
        };
        println!("{CLIENTS} clients in rooms of 2, medians of {pairs} pairs of about {RUN:?}");
        println!(
            "loops   samara msg/s     echo msg/s   ratio   samara ns/msg   echo ns/msg   own ns/msg"
        );
        for loops in [1, 2] {
            compare(loops, pairs)?;
        }
        Ok(())
    }

    fn compare(loops: usize, pairs: usize) -> io::Result<()> {
        let mut config = Config::default();
        config.net.bind = vec![Ipv4Addr::LOCALHOST.into()];
        config.net.port = 0;
        config.net.loops = loops;
        config.limits.hello_per_second_per_address = 100_000;
        let server = Server::start(&config).map_err(io::Error::other)?;
        let to = server
            .addresses()
            .first()
            .copied()
            .ok_or(io::ErrorKind::AddrNotAvailable)?;
        let mut games = Clients::in_games(to, CLIENTS)?;
        // Warms up, and tells how long the answers are and how many fit into a run.
        let first = games.play(WARM_UP)?;
        let echo = Echo::start(loops, first.answer_length())?;
        let mut strangers = Clients::without_games(echo.address, CLIENTS)?;
        strangers.play(WARM_UP)?;
        let messages = (f64::from(WARM_UP) * RUN.as_secs_f64() / first.time.as_secs_f64()) as u32;

        let mut runs = Vec::new();
        for _ in 0..pairs {
            let samara = measure("loop-", || games.play(messages))?;
            let bare = measure("echo-", || strangers.play(messages))?;
            runs.push((samara, bare));
        }
        let of = |what: &dyn Fn(&(Run, Run)) -> Option<f64>| median(runs.iter().filter_map(what));
        let cost = |run: &Run| run.cost;
        let columns = [
            of(&|(samara, _)| Some(samara.rate)),
            of(&|(_, bare)| Some(bare.rate)),
            of(&|(samara, bare)| Some(100.0 * samara.rate / bare.rate)),
            of(&|(samara, _)| cost(samara)),
            of(&|(_, bare)| cost(bare)),
            of(&|(samara, bare)| Some(cost(samara)? - cost(bare)?)),
        ];
        let [rate, bare, ratio, ours, theirs, own] = columns.map(|it| it.unwrap_or(f64::NAN));
        println!(
            "{loops:>5} {rate:>14.0} {bare:>14.0} {ratio:>5.1} % {ours:>15.0} {theirs:>13.0} {own:>12.0}"
        );
        Ok(())
    }

    fn measure(threads: &str, play: impl FnOnce() -> io::Result<Played>) -> io::Result<Run> {
        let before = processor_time(threads);
        let played = play()?;
        let spent = before
            .zip(processor_time(threads))
            .map(|(before, after)| after - before);
        let messages = played.answers as f64;
        Ok(Run {
            rate: messages / played.time.as_secs_f64(),
            cost: spent.map(|spent| spent as f64 / messages),
        })
    }

    /// Nanoseconds that this process's threads of a name have run.
    fn processor_time(name: &str) -> Option<u64> {
        let mut nanos = 0;
        for thread in fs::read_dir("/proc/self/task").ok()? {
            let thread = thread.ok()?.path();
            if fs::read_to_string(thread.join("comm"))
                .ok()?
                .starts_with(name)
            {
                let schedule = fs::read_to_string(thread.join("schedstat")).ok()?;
                nanos += schedule.split_whitespace().next()?.parse::<u64>().ok()?;
            }
        }
        Some(nanos).filter(|&nanos| nanos > 0)
    }

    fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
        let mut values: Vec<_> = values.collect();
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied()
    }
}

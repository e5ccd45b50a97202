//! A file with the packets that pass the gateway, for those who look for mistakes in protocols.
//!
//! An event loop copies a frame as it came, encrypted, into a buffer of a pool and puts it into a
//! queue; a thread of the log's own decrypts it there ([`crate::maple::Decoder`] needs no more
//! than its IV), writes it, and starts a new file when one is full. A loop never waits: what has
//! no room is counted and left out.
//!
//! What clients tell a login server are names, passwords and codes, and what they introduce
//! themselves with to a game server is a key to their session: only the opcodes and lengths of
//! these are written unless it is asked for more.
//!
//! | form | a packet is |
//! |---|---|
//! | [`Form::Json`] | a line: `{"time", "session", "direction", "opcode", "length", "iv", "payload"}` |
//! | [`Form::Text`] | a hex dump as `text2pcap -D -t "%Y-%m-%dT%H:%M:%S."` of Wireshark reads it |

mod writer;

use crate::{
    buffer::{Frame, FramePool},
    maple::{Direction, Iv, Opcodes, Profile},
    metrics::Metrics,
    net::Clock,
    timer::Time,
};
use crossbeam_queue::ArrayQueue;
use std::{
    fmt, io,
    net::IpAddr,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
};
use writer::Writer;

/// Packets that wait to be written.
const QUEUE: usize = 8192;

/// How many buffers there may be of each size: most packets are short.
const BUFFERS: [(usize, usize); 2] = [(QUEUE, 512), (256, 8 + u16::MAX as usize)];

/// Where packets are written, and which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The file; older ones have `.1`, `.2` and so on behind their names.
    pub path: PathBuf,
    /// What it looks like.
    pub form: Form,
    /// Bytes after which a new file is begun.
    pub max_bytes: u64,
    /// Older files that are kept.
    pub keep: usize,
    /// Whose packets; nobody's means everybody's.
    pub clients: Vec<IpAddr>,
    /// Whether passwords and the like are written, too.
    pub secrets: bool,
}

/// What the file looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A JSON object per line.
    Json,
    /// Hex dumps.
    Text,
}

/// What is known of a packet beside its frame.
#[derive(Clone, Copy, Debug)]
pub struct Record {
    /// When it passed.
    pub at: Time,
    /// The number of its client.
    pub session: u64,
    /// Which way it went.
    pub direction: Direction,
    /// The IV its frame was made with.
    pub iv: Iv,
    /// Whether the other side is the login server.
    pub is_login: bool,
}

/// Where the loops leave packets; clones leave them in the same place.
#[derive(Clone)]
pub struct PacketLog {
    shared: Arc<Shared>,
}

struct Shared {
    queue: ArrayQueue<(Record, Frame)>,
    /// Shortest first.
    buffers: [FramePool; 2],
    clients: Vec<IpAddr>,
    metrics: Arc<Metrics>,
    stopped: AtomicBool,
}

/// The log's thread; when it is dropped, all that waits has been written.
#[derive(Debug)]
pub struct LogThread {
    log: PacketLog,
    thread: Option<JoinHandle<()>>,
}

impl PacketLog {
    /// Opens the file, behind what it holds, and starts the thread. Packets are those of
    /// `profile`; their times are `clock`'s.
    ///
    /// # Errors
    ///
    /// When the file cannot be opened or the system refuses a thread.
    pub fn start(
        settings: Settings,
        profile: Profile,
        opcodes: Opcodes,
        clock: Clock,
        metrics: Arc<Metrics>,
    ) -> io::Result<(Self, LogThread)> {
        let log = Self::new(settings.clients.clone(), metrics);
        let mut writer = Writer::open(settings, profile, opcodes, clock)?;
        let its = log.clone();
        let thread = thread::Builder::new().name("packet-log".to_owned());
        let thread = thread.spawn(move || {
            let metrics = &its.shared.metrics;
            loop {
                // Asked first, so that what was left before the end is still written.
                let ends = its.shared.stopped.load(Ordering::Acquire);
                while let Some((record, mut frame)) = its.shared.queue.pop() {
                    match writer.write(record, &mut frame) {
                        true => metrics.maple_logged.add(1),
                        false => metrics.maple_log_drops.add(1),
                    }
                }
                writer.flush();
                if ends {
                    return;
                }
                // Nobody wakes it: a loop that logs makes no system call for it.
                thread::park_timeout(writer::PAUSE);
            }
        })?;
        let thread = LogThread {
            log: log.clone(),
            thread: Some(thread),
        };
        Ok((log, thread))
    }

    fn new(clients: Vec<IpAddr>, metrics: Arc<Metrics>) -> Self {
        Self {
            shared: Arc::new(Shared {
                queue: ArrayQueue::new(QUEUE),
                buffers: BUFFERS.map(|(count, size)| FramePool::new(count, size)),
                clients,
                metrics,
                stopped: AtomicBool::new(false),
            }),
        }
    }

    /// Whether this client's packets are logged.
    pub fn wants(&self, client: IpAddr) -> bool {
        let clients = &self.shared.clients;
        clients.is_empty() || clients.contains(&client)
    }

    /// Leaves a packet for the log, or counts that there was no room for it.
    pub fn record(&self, record: Record, frame: &[u8]) {
        let Shared {
            queue,
            buffers,
            metrics,
            ..
        } = &*self.shared;
        let mut fitting = buffers.iter().filter(|it| it.frame_size() >= frame.len());
        let left = fitting
            .find_map(FramePool::try_take)
            .is_some_and(|mut buffer| {
                buffer.copy_from(frame).is_ok() && queue.push((record, buffer)).is_ok()
            });
        if !left {
            metrics.maple_log_drops.add(1);
        }
    }
}

impl fmt::Debug for PacketLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PacketLog")
            .field("waiting", &self.shared.queue.len())
            .finish_non_exhaustive()
    }
}

impl Drop for LogThread {
    fn drop(&mut self) {
        self.log.shared.stopped.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            if thread.join().is_err() {
                log::error!("the packet log's thread failed");
            }
        }
    }
}

#[cfg(test)]
mod tests;

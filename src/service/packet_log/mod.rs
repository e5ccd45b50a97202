//! A file with the packets of Maple services, for those who look for mistakes in protocols.
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
//! One log takes the packets of several services, each of its own version.
//!
//! | form | a packet is |
//! |---|---|
//! | [`Form::Json`] | a line: `{"time", "service", "version", "session", "direction", "opcode", "length", "iv", "payload"}` |
//! | [`Form::Text`] | a hex dump as `text2pcap -D -t "%Y-%m-%dT%H:%M:%S."` of Wireshark reads it |

mod writer;

use crate::{
    buffer::{Frame, FramePool},
    maple::{Codec, Direction, Iv, Opcodes, Profile},
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
        atomic::{AtomicBool, AtomicU64, Ordering},
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
    /// The number of its session, among those of its service.
    pub session: u64,
    /// Which way it went.
    pub direction: Direction,
    /// The IV its frame was made with.
    pub iv: Iv,
    /// Whether the other side is the login server.
    pub is_login: bool,
}

/// A log that is written; clones are the same.
#[derive(Clone)]
pub struct PacketLog {
    shared: Arc<Shared>,
}

/// Where the loops leave the packets of one service; clones leave them in the same place.
#[derive(Clone)]
pub struct Recorder {
    shared: Arc<Shared>,
    source: Arc<Source>,
}

/// Whose packets they are.
struct Source {
    service: &'static str,
    codec: Codec,
    opcodes: Opcodes,
}

struct Shared {
    queue: ArrayQueue<(Record, Frame, Arc<Source>)>,
    /// Shortest first.
    buffers: [FramePool; 2],
    clients: Vec<IpAddr>,
    /// Sessions that were given a number.
    sessions: AtomicU64,
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
    /// Opens the file, behind what it holds, and starts the thread. Times of packets are
    /// `clock`'s.
    ///
    /// # Errors
    ///
    /// When the file cannot be opened or the system refuses a thread.
    pub fn start(
        settings: Settings,
        clock: Clock,
        metrics: Arc<Metrics>,
    ) -> io::Result<(Self, LogThread)> {
        let log = Self::new(settings.clients.clone(), metrics);
        let mut writer = Writer::open(settings, clock)?;
        let its = log.clone();
        let thread = thread::Builder::new().name("packet-log".to_owned());
        let thread = thread.spawn(move || {
            let metrics = &its.shared.metrics;
            loop {
                // Asked first, so that what was left before the end is still written.
                let ends = its.shared.stopped.load(Ordering::Acquire);
                while let Some((record, mut frame, source)) = its.shared.queue.pop() {
                    match writer.write(record, &mut frame, &source) {
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
                sessions: AtomicU64::new(0),
                metrics,
                stopped: AtomicBool::new(false),
            }),
        }
    }

    /// Takes the packets of a service that speaks as `profile` says.
    pub fn recorder(&self, service: &'static str, profile: Profile, opcodes: Opcodes) -> Recorder {
        Recorder {
            shared: self.shared.clone(),
            source: Arc::new(Source {
                service,
                codec: Codec::new(profile),
                opcodes,
            }),
        }
    }
}

impl Recorder {
    /// A number for a session, if this client's packets are logged.
    pub fn begin(&self, client: IpAddr) -> Option<u64> {
        let sessions = &self.shared.sessions;
        self.wants(client)
            .then(|| sessions.fetch_add(1, Ordering::Relaxed) + 1)
    }

    /// Whether a packet with this opcode is a client's first one on a game server; then nothing
    /// else that it says is secret.
    pub fn is_arrival(&self, opcode: u16) -> bool {
        self.source.opcodes.migrate_in == Some(opcode)
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
                let source = self.source.clone();
                buffer.copy_from(frame).is_ok() && queue.push((record, buffer, source)).is_ok()
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

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder")
            .field("service", &self.source.service)
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

//! Batches in, batches out, nothing in between.

use mio::{Events, Interest, Poll, Token, net::UdpSocket};
use samara::{
    buffer::FramePool,
    net::sys::{self, BindOptions, ReceiveBatch, SendBatch, Transmit},
    service::kaillera::FRAME_SIZE,
};
use std::{
    collections::VecDeque,
    io,
    net::{Ipv4Addr, SocketAddr},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

/// As in the server's loops.
const BATCH: usize = 64;
const FRAMES: usize = 1024;
const LOOK: Duration = Duration::from_millis(100);

/// Threads that answer every datagram with its own beginning, at a given length.
pub(crate) struct Echo {
    pub(crate) address: SocketAddr,
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<io::Result<()>>>,
}

impl Echo {
    /// Starts so many threads on one free port.
    ///
    /// # Errors
    ///
    /// When the system refuses sockets or threads.
    pub(crate) fn start(loops: usize, length: usize) -> io::Result<Self> {
        let mut address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let options = BindOptions {
            reuse_port: loops > 1,
        };
        if options.reuse_port {
            // Asked for a free port to share, the system may name one that others share already.
            address = sys::probe(address)?;
        }
        let stop = Arc::new(AtomicBool::new(false));
        let mut threads = Vec::new();
        for index in 0..loops {
            let socket = sys::bind(address, options)?;
            address = socket.local_addr()?;
            let stop = stop.clone();
            let thread = thread::Builder::new().name(format!("echo-{index}"));
            threads.push(thread.spawn(move || serve(socket, length, &stop))?);
        }
        Ok(Self {
            address,
            stop,
            threads,
        })
    }
}

impl Drop for Echo {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

fn serve(mut socket: UdpSocket, length: usize, stop: &AtomicBool) -> io::Result<()> {
    let mut poll = Poll::new()?;
    let mut events = Events::with_capacity(64);
    poll.registry()
        .register(&mut socket, Token(0), Interest::READABLE)?;
    let frames = FramePool::new(FRAMES, FRAME_SIZE);
    let mut receive = ReceiveBatch::new(&frames, BATCH);
    let mut send = SendBatch::new(BATCH);
    let mut queue = VecDeque::with_capacity(FRAMES);
    while !stop.load(Ordering::Relaxed) {
        let received = receive.receive(&socket, |arrival, mut frame| {
            frame.set_len(length);
            queue.push_back(Transmit {
                peer: arrival.peer,
                local: arrival.local,
                frame,
            });
        })?;
        send.send(&socket, &mut queue);
        if !received.more {
            match poll.poll(&mut events, Some(LOOK)) {
                Err(error) if error.kind() != io::ErrorKind::Interrupted => return Err(error),
                _ => {}
            }
        }
    }
    Ok(())
}

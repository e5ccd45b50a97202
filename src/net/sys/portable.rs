//! Batches for any system, a call for each datagram.
//!
//! Only mio's own calls are used: on Windows they are what arms the next event.

#![forbid(unsafe_code)]

use std::{collections::VecDeque, io, net::SocketAddr};

use mio::net::UdpSocket;

use crate::{
    buffer::{Frame, FramePool},
    net::sys::{Arrival, Received, Sent, Transmit, is_passing, settle},
};

/// No UDP datagram is longer, so none is ever cut short unnoticed.
const LONGEST_DATAGRAM: usize = 65_535;

/// Receives up to a fixed number of datagrams per call.
#[derive(Debug)]
pub struct ReceiveBatch {
    pool: FramePool,
    batch: usize,
    landing: Box<[u8]>,
}

impl ReceiveBatch {
    /// Prepares to receive up to `batch` datagrams at a time into frames of `pool`.
    pub fn new(pool: &FramePool, batch: usize) -> Self {
        Self {
            pool: pool.clone(),
            batch: batch.max(1),
            landing: vec![0; LONGEST_DATAGRAM].into_boxed_slice(),
        }
    }

    /// Receives what is there, up to a batch, and hands it to `each` in order.
    ///
    /// # Errors
    ///
    /// Those of the socket itself. Datagrams may be left, and no event will tell.
    pub fn receive(
        &mut self,
        socket: &UdpSocket,
        mut each: impl FnMut(Arrival, Frame),
    ) -> io::Result<Received> {
        let mut received = Received::default();
        for _ in 0..self.batch {
            let (len, peer) = match socket.recv_from(&mut self.landing) {
                Ok(datagram) => datagram,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(received),
                Err(error) if is_passing(&error) => continue,
                Err(error) => return Err(error),
            };
            let Some(mut frame) = self.pool.try_take() else {
                received.starved += 1;
                continue;
            };
            let bytes = self.landing.get(..len).unwrap_or_default();
            if frame.copy_from(bytes).is_err() {
                received.truncated += 1;
                continue;
            }
            received.datagrams += 1;
            each(
                Arrival {
                    peer: without_flow_label(peer),
                    local: None,
                },
                frame,
            );
        }
        received.more = true;
        Ok(received)
    }
}

/// Sends a queue of datagrams.
#[derive(Debug)]
pub struct SendBatch {
    _private: (),
}

impl SendBatch {
    /// Prepares to send; the size of the batch is of no use to this implementation.
    pub fn new(_batch: usize) -> Self {
        Self { _private: () }
    }

    /// Sends from the front of `queue` until it is empty or the socket would block, and
    /// drops what was sent or refused for good.
    pub fn send(&mut self, socket: &UdpSocket, queue: &mut VecDeque<Transmit>) -> Sent {
        let mut sent = Sent::default();
        while let Some(next) = queue.front() {
            let outcome = socket.send_to(&next.frame, next.peer).map(|_| 1);
            if settle(queue, outcome, &mut sent).is_break() {
                break;
            }
        }
        sent
    }
}

fn without_flow_label(mut peer: SocketAddr) -> SocketAddr {
    if let SocketAddr::V6(peer) = &mut peer {
        peer.set_flowinfo(0);
    }
    peer
}

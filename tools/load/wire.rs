//! One socket that speaks for many clients, each with an address of its own.
//!
//! All of 127.0.0.0/8 is this machine, and a client is the address its datagrams come from:
//! so one thread plays thousands of clients with a few system calls.

use mio::{Events, Interest, Poll, Token, net::UdpSocket};
use samara::{
    buffer::FramePool,
    net::sys::{self, BindOptions, ReceiveBatch, SendBatch, Transmit},
    service::kaillera::FRAME_SIZE,
};
use std::{
    collections::VecDeque,
    io,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    time::Duration,
};

const BATCH: usize = 64;
const FRAMES: usize = 4096;

/// The socket, what came on it and what is to leave.
pub(crate) struct Wire {
    socket: UdpSocket,
    poll: Poll,
    events: Events,
    receive: ReceiveBatch,
    send: SendBatch,
    outgoing: Outgoing,
    /// The last batch was full; no event will tell of the rest.
    more: bool,
}

/// Datagrams that wait to be sent.
pub(crate) struct Outgoing {
    to: SocketAddr,
    network: u8,
    frames: FramePool,
    queue: VecDeque<Transmit>,
}

impl Wire {
    /// Clients 127.`network`.0.1 and following, who all talk to `to`.
    pub(crate) fn new(to: SocketAddr, network: u8) -> io::Result<Self> {
        if !cfg!(target_os = "linux") {
            let reason = "only Linux lets one socket speak for many addresses";
            return Err(io::Error::new(io::ErrorKind::Unsupported, reason));
        }
        let any = SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0));
        let mut socket = sys::bind(any, BindOptions::default())?;
        let poll = Poll::new()?;
        poll.registry()
            .register(&mut socket, Token(0), Interest::READABLE)?;
        let frames = FramePool::new(FRAMES, FRAME_SIZE);
        Ok(Self {
            socket,
            poll,
            events: Events::with_capacity(4),
            receive: ReceiveBatch::new(&frames, BATCH),
            send: SendBatch::new(BATCH),
            outgoing: Outgoing {
                to,
                network,
                frames,
                queue: VecDeque::with_capacity(FRAMES),
            },
            more: true,
        })
    }

    pub(crate) fn outgoing(&mut self) -> &mut Outgoing {
        &mut self.outgoing
    }

    /// Sends what waits.
    pub(crate) fn flush(&mut self) {
        // What cannot be sent is repeated like anything that is lost on the way.
        self.send.send(&self.socket, &mut self.outgoing.queue);
    }

    /// Waits at most so long, then hands out a batch of what has come.
    pub(crate) fn receive(
        &mut self,
        wait: Duration,
        mut each: impl FnMut(usize, &[u8], &mut Outgoing),
    ) -> io::Result<()> {
        let wait = if self.more { Duration::ZERO } else { wait };
        match self.poll.poll(&mut self.events, Some(wait)) {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => return Err(error),
            _ => {}
        }
        if !self.more && self.events.is_empty() {
            return Ok(());
        }
        let outgoing = &mut self.outgoing;
        let received = self.receive.receive(&self.socket, |arrival, frame| {
            if let Some(client) = client_of(arrival.local) {
                each(client, &frame, outgoing);
            }
        })?;
        self.more = received.more;
        Ok(())
    }
}

impl Outgoing {
    /// Queues a datagram of a client that `write` writes, and whose length it says.
    pub(crate) fn queue(&mut self, client: usize, write: impl FnOnce(&mut [u8]) -> usize) {
        // Without a frame it is lost, as it might be on the way.
        if let Some(mut frame) = self.frames.try_take() {
            let length = write(frame.buffer_mut());
            frame.set_len(length);
            self.queue.push_back(Transmit {
                peer: self.to,
                local: Some(address_of(self.network, client)),
                frame,
            });
        }
    }

    /// Queues a datagram of a client.
    pub(crate) fn send(&mut self, client: usize, datagram: &[u8]) {
        self.queue(client, |buffer| {
            let place = buffer.get_mut(..datagram.len()).unwrap_or_default();
            place.copy_from_slice(datagram.get(..place.len()).unwrap_or_default());
            place.len()
        });
    }
}

fn address_of(network: u8, client: usize) -> IpAddr {
    let [_, _, high, low] = (client as u32 + 1).to_be_bytes();
    IpAddr::from([127, network, high, low])
}

fn client_of(address: Option<IpAddr>) -> Option<usize> {
    match address? {
        IpAddr::V4(address) => {
            let [_, _, high, low] = address.octets();
            usize::from(u16::from_be_bytes([high, low])).checked_sub(1)
        }
        IpAddr::V6(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_is_its_address() {
        assert_eq!(address_of(3, 0), IpAddr::from([127, 3, 0, 1]));
        for client in [0, 1, 254, 255, 256, 19_999] {
            assert_eq!(client_of(Some(address_of(1, client))), Some(client));
        }
        assert_eq!(client_of(None), None);
    }
}

//! The sockets of many clients.
//!
//! To a server on this machine one socket speaks for all of them, where the system allows that:
//! all of 127.0.0.0/8 is this machine, and a client is the address its datagrams come from. So
//! one thread plays thousands of clients with a few system calls. To any other server each
//! client has a socket of its own.

mod echo;

pub(crate) use echo::Echo;

use mio::{Events, Interest, Poll, Token, net::UdpSocket};
use samara::{
    buffer::FramePool,
    net::sys::{self, BindOptions, ReceiveBatch, SendBatch, Transmit},
    service::kaillera::FRAME_SIZE,
};
use std::{
    collections::VecDeque,
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    time::Duration,
};

/// Most clients of a process that have a socket each: systems allow 1024 open files or so.
pub(crate) const MAX_SOCKETS: u32 = 900;

const BATCH: usize = 64;
const FRAMES: usize = 4096;
/// Datagrams taken from one client's socket before the others get their turn.
const BUDGET: usize = 64;

/// The clients' sockets, what came on them and what is to leave.
pub(crate) struct Wire {
    poll: Poll,
    events: Events,
    inlet: Inlet,
    outgoing: Outgoing,
}

enum Inlet {
    Shared {
        socket: UdpSocket,
        receive: ReceiveBatch,
        send: SendBatch,
        /// The last batch was full; no event will tell of the rest.
        more: bool,
    },
    Own {
        buffer: Box<[u8]>,
        /// Clients whose sockets may hold more; no event will tell of it.
        ready: VecDeque<usize>,
    },
}

/// Datagrams that wait to be sent, and where to.
pub(crate) struct Outgoing {
    /// Where everybody begins.
    server: SocketAddr,
    /// The port each client goes on at.
    ports: Vec<u16>,
    sent: Sent,
    outlet: Outlet,
}

enum Outlet {
    Shared {
        network: u8,
        frames: FramePool,
        queue: VecDeque<Transmit>,
    },
    Own {
        sockets: Vec<UdpSocket>,
        buffer: Box<[u8]>,
    },
}

/// How much has left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sent {
    pub(crate) packets: u64,
    pub(crate) bytes: u64,
}

/// Whether one socket can speak for all clients of the server at `to`.
pub(crate) fn is_shared(to: SocketAddr) -> bool {
    cfg!(target_os = "linux") && to.is_ipv4() && to.ip().is_loopback()
}

impl Wire {
    /// Clients who all begin to talk to `to`; those that share a socket have the addresses
    /// 127.`network`.0.1 and following.
    ///
    /// # Errors
    ///
    /// When the system refuses a socket.
    pub(crate) fn new(to: SocketAddr, network: u8, clients: usize) -> io::Result<Self> {
        let poll = Poll::new()?;
        let (inlet, outlet) = if is_shared(to) {
            shared(&poll, network)?
        } else {
            own(&poll, to, clients)?
        };
        Ok(Self {
            poll,
            events: Events::with_capacity(256),
            inlet,
            outgoing: Outgoing {
                server: to,
                ports: vec![to.port(); clients],
                sent: Sent::default(),
                outlet,
            },
        })
    }

    pub(crate) fn outgoing(&mut self) -> &mut Outgoing {
        &mut self.outgoing
    }

    /// Sends what waits.
    pub(crate) fn flush(&mut self) {
        let outlet = &mut self.outgoing.outlet;
        // What cannot be sent is repeated like anything that is lost on the way.
        if let (Inlet::Shared { socket, send, .. }, Outlet::Shared { queue, .. }) =
            (&mut self.inlet, outlet)
        {
            send.send(socket, queue);
        }
    }

    /// Waits at most so long, then hands out what has come, up to a batch or a budget.
    ///
    /// # Errors
    ///
    /// Those of the system that will not pass.
    pub(crate) fn receive(
        &mut self,
        wait: Duration,
        each: impl FnMut(usize, &[u8], &mut Outgoing),
    ) -> io::Result<()> {
        let wait = match &self.inlet {
            Inlet::Shared { more: true, .. } => Duration::ZERO,
            Inlet::Own { ready, .. } if !ready.is_empty() => Duration::ZERO,
            _ => wait,
        };
        match self.poll.poll(&mut self.events, Some(wait)) {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => return Err(error),
            _ => {}
        }
        match &mut self.inlet {
            Inlet::Shared { more: false, .. } if self.events.is_empty() => Ok(()),
            Inlet::Shared {
                socket,
                receive,
                more,
                ..
            } => {
                *more = receive_shared(socket, receive, &mut self.outgoing, each)?;
                Ok(())
            }
            Inlet::Own { buffer, ready } => {
                for event in &self.events {
                    let Token(client) = event.token();
                    if !ready.contains(&client) {
                        ready.push_back(client);
                    }
                }
                receive_own(buffer, ready, &mut self.outgoing, each);
                Ok(())
            }
        }
    }
}

impl Outgoing {
    /// The server goes on with this client at another port.
    pub(crate) fn follow(&mut self, client: usize, port: u16) {
        if let Some(place) = self.ports.get_mut(client) {
            *place = port;
        }
    }

    /// The client begins again where everybody does.
    pub(crate) fn start_over(&mut self, client: usize) {
        self.follow(client, self.server.port());
    }

    /// Queues a datagram of a client that `write` writes, and whose length it says.
    pub(crate) fn queue(&mut self, client: usize, write: impl FnOnce(&mut [u8]) -> usize) {
        let Some(&port) = self.ports.get(client) else {
            return;
        };
        let peer = SocketAddr::new(self.server.ip(), port);
        let length = match &mut self.outlet {
            Outlet::Shared {
                network,
                frames,
                queue,
            } => {
                // Without a frame it is lost, as it might be on the way.
                let Some(mut frame) = frames.try_take() else {
                    return;
                };
                let length = write(frame.buffer_mut());
                frame.set_len(length);
                queue.push_back(Transmit {
                    peer,
                    local: Some(address_of(*network, client)),
                    frame,
                });
                length
            }
            Outlet::Own { sockets, buffer } => {
                let length = write(buffer);
                let datagram = buffer.get(..length).unwrap_or_default();
                if let Some(socket) = sockets.get(client) {
                    let _ = socket.send_to(datagram, peer);
                }
                length
            }
        };
        self.sent.packets += 1;
        self.sent.bytes += length as u64;
    }

    /// Queues a datagram of a client.
    pub(crate) fn send(&mut self, client: usize, datagram: &[u8]) {
        self.queue(client, |buffer| {
            let place = buffer.get_mut(..datagram.len()).unwrap_or_default();
            place.copy_from_slice(datagram.get(..place.len()).unwrap_or_default());
            place.len()
        });
    }

    /// What has left since this was asked last.
    pub(crate) fn take_sent(&mut self) -> Sent {
        std::mem::take(&mut self.sent)
    }
}

fn shared(poll: &Poll, network: u8) -> io::Result<(Inlet, Outlet)> {
    let any = SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0));
    let mut socket = sys::bind(any, BindOptions::default())?;
    poll.registry()
        .register(&mut socket, Token(0), Interest::READABLE)?;
    let frames = FramePool::new(FRAMES, FRAME_SIZE);
    let inlet = Inlet::Shared {
        socket,
        receive: ReceiveBatch::new(&frames, BATCH),
        send: SendBatch::new(BATCH),
        more: true,
    };
    let outlet = Outlet::Shared {
        network,
        frames,
        queue: VecDeque::with_capacity(FRAMES),
    };
    Ok((inlet, outlet))
}

fn own(poll: &Poll, to: SocketAddr, clients: usize) -> io::Result<(Inlet, Outlet)> {
    let any: IpAddr = match to {
        SocketAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        SocketAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    };
    let mut sockets = Vec::with_capacity(clients);
    for client in 0..clients {
        let mut socket = UdpSocket::bind(SocketAddr::new(any, 0))?;
        poll.registry()
            .register(&mut socket, Token(client), Interest::READABLE)?;
        sockets.push(socket);
    }
    let buffer = || vec![0; FRAME_SIZE].into_boxed_slice();
    let inlet = Inlet::Own {
        buffer: buffer(),
        ready: VecDeque::new(),
    };
    let outlet = Outlet::Own {
        sockets,
        buffer: buffer(),
    };
    Ok((inlet, outlet))
}

/// Hands out one batch; says whether there may be more.
fn receive_shared(
    socket: &UdpSocket,
    receive: &mut ReceiveBatch,
    outgoing: &mut Outgoing,
    mut each: impl FnMut(usize, &[u8], &mut Outgoing),
) -> io::Result<bool> {
    let received = receive.receive(socket, |arrival, frame| {
        if let Some(client) = client_of(arrival.local) {
            each(client, &frame, outgoing);
        }
    })?;
    Ok(received.more)
}

/// Hands out a budget's worth of each ready socket.
fn receive_own(
    buffer: &mut [u8],
    ready: &mut VecDeque<usize>,
    outgoing: &mut Outgoing,
    mut each: impl FnMut(usize, &[u8], &mut Outgoing),
) {
    for _ in 0..ready.len() {
        let Some(client) = ready.pop_front() else {
            return;
        };
        let mut left = BUDGET;
        while left > 0 {
            let Outlet::Own { sockets, .. } = &outgoing.outlet else {
                return;
            };
            let Some(socket) = sockets.get(client) else {
                break;
            };
            left -= 1;
            match socket.recv_from(buffer) {
                Ok((length, peer)) => {
                    // Anybody can write to a socket that others than this machine can reach.
                    if peer.ip() == outgoing.server.ip() {
                        each(client, buffer.get(..length).unwrap_or_default(), outgoing);
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                // The system reports what became of an earlier datagram.
                Err(_) => {}
            }
        }
        if left == 0 {
            ready.push_back(client);
        }
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

// The benchmark that shares this file has no test harness, and so no use for a glob.
#[cfg(test)]
mod tests {
    use std::{
        net::{SocketAddr, UdpSocket},
        time::Duration,
    };

    #[test]
    fn a_client_is_its_address() {
        let first = super::address_of(3, 0);
        assert_eq!(first, std::net::IpAddr::from([127, 3, 0, 1]));
        for client in [0, 1, 254, 255, 256, 19_999] {
            let address = super::address_of(1, client);
            assert_eq!(super::client_of(Some(address)), Some(client));
        }
        assert_eq!(super::client_of(None), None);
    }

    /// Two clients greet a server on `host`; it answers each from another port with what it
    /// said and its number, and hears from both there.
    fn follows(host: &str) {
        let bind = || {
            let socket = UdpSocket::bind((host, 0)).unwrap();
            let patience = Duration::from_secs(20);
            socket.set_read_timeout(Some(patience)).unwrap();
            (socket.local_addr().unwrap().port(), socket)
        };
        let ((port, public), (private_port, private)) = (bind(), bind());
        let to = SocketAddr::new(host.parse().unwrap(), port);
        let mut wire = super::Wire::new(to, 240, 2).unwrap();
        for client in [0, 1] {
            wire.outgoing().send(client, &[client as u8]);
        }
        wire.flush();
        let mut buffer = [0; 16];
        for _ in 0..2 {
            let (length, peer) = public.recv_from(&mut buffer).unwrap();
            public.send_to(&buffer[..length], peer).unwrap();
        }
        let mut heard = Vec::new();
        while heard.len() < 2 {
            let each = |client, datagram: &[u8], out: &mut super::Outgoing| {
                heard.push((client, datagram.to_vec()));
                out.follow(client, private_port);
                out.send(client, b"here");
            };
            wire.receive(Duration::from_millis(50), each).unwrap();
            wire.flush();
        }
        heard.sort();
        assert_eq!(heard, [(0, vec![0]), (1, vec![1])]);
        let peers = [(); 2].map(|()| private.recv_from(&mut buffer).unwrap().1);
        assert_ne!(peers[0], peers[1], "each client is one address");
        wire.outgoing().start_over(1);
        wire.outgoing().send(1, b"again");
        wire.flush();
        assert_eq!(public.recv_from(&mut buffer).unwrap().0, 5);
        let sent = wire.outgoing().take_sent();
        assert_eq!((sent.packets, sent.bytes), (5, 2 + 8 + 5));
        assert_eq!(wire.outgoing().take_sent(), super::Sent::default());
    }

    #[test]
    fn clients_of_one_socket_follow_the_server() {
        follows("127.0.0.1");
    }

    #[test]
    fn clients_of_a_socket_each_follow_the_server() {
        if UdpSocket::bind("[::1]:0").is_ok() {
            follows("::1");
        }
    }
}

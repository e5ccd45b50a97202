//! Batches for Linux: `recvmmsg` and `sendmmsg`, with the local address in control data.
//!
//! The only unsafe code is that of the system calls themselves: the kernel's address and
//! control structures are read and written as plain bytes, in `abi`.

#![allow(unsafe_code)]

mod abi;

use std::{collections::VecDeque, fmt, io, mem, net::SocketAddr, os::fd::AsRawFd, ptr};

use mio::net::UdpSocket;
use socket2::Socket;

use crate::{
    buffer::{Frame, FramePool},
    net::sys::{Arrival, Received, Sent, Transmit, is_passing, settle},
};

/// Makes the kernel report the address each datagram was sent to.
pub(super) fn report_destinations(socket: &Socket, addr: SocketAddr) -> io::Result<()> {
    let (level, option) = match addr {
        SocketAddr::V4(_) => (libc::IPPROTO_IP, libc::IP_PKTINFO),
        SocketAddr::V6(_) => (libc::IPPROTO_IPV6, libc::IPV6_RECVPKTINFO),
    };
    let on: libc::c_int = 1;
    // SAFETY: the descriptor is open as long as `socket` is borrowed; the pointer and the
    // length describe `on`, which the kernel only reads, and only during the call.
    let code = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            level,
            option,
            (&raw const on).cast(),
            size_of_val(&on) as libc::socklen_t,
        )
    };
    count_or_error(code).map(drop)
}

/// Receives up to a fixed number of datagrams per system call.
///
/// It keeps as many frames of the pool at hand.
pub struct ReceiveBatch {
    pool: FramePool,
    frames: Vec<Frame>,
    headers: Headers,
}

impl ReceiveBatch {
    /// Prepares to receive up to `batch` datagrams at a time into frames of `pool`.
    pub fn new(pool: &FramePool, batch: usize) -> Self {
        let headers = Headers::new(batch);
        let frames = Vec::with_capacity(headers.messages.len());
        Self {
            pool: pool.clone(),
            frames,
            headers,
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
        let count = match self.receive_messages(socket) {
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                return Ok(Received::default());
            }
            Err(error) if is_passing(&error) => {
                return Ok(Received {
                    more: true,
                    ..Received::default()
                });
            }
            Err(error) => return Err(error),
        };

        let framed = count.min(self.frames.len());
        let mut received = Received {
            starved: count - framed,
            // The kernel stops short of a full batch only where it would block.
            more: count == self.headers.messages.len(),
            ..Received::default()
        };
        let arrivals = self
            .headers
            .messages
            .iter()
            .zip(&self.headers.slots)
            .map(arrival);
        for (arrival, mut frame) in arrivals.zip(self.frames.drain(..framed)) {
            let Some((arrival, len)) = arrival else {
                received.truncated += 1;
                continue;
            };
            frame.set_len(len);
            received.datagrams += 1;
            each(arrival, frame);
        }
        Ok(received)
    }

    fn receive_messages(&mut self, socket: &UdpSocket) -> io::Result<usize> {
        let missing = self.headers.messages.len() - self.frames.len();
        self.pool.take_many(&mut self.frames, missing);

        let mut frames = self.frames.iter_mut();
        for (message, slot) in self
            .headers
            .messages
            .iter_mut()
            .zip(&mut self.headers.slots)
        {
            // Without a frame the datagram is read into nothing: left in the socket, it
            // would keep the next edge from coming.
            let buffer = frames.next().map(Frame::buffer_mut).unwrap_or_default();
            slot.iovec.iov_base = buffer.as_mut_ptr().cast();
            slot.iovec.iov_len = buffer.len();
            message.msg_len = 0;
            let header = &mut message.msg_hdr;
            header.msg_name = slot.name.as_mut_ptr().cast();
            header.msg_namelen = size_of_val(&slot.name) as libc::socklen_t;
            header.msg_control = slot.control.as_mut_ptr().cast();
            header.msg_controllen = size_of_val(&slot.control) as _;
            header.msg_iov = &raw mut slot.iovec;
            header.msg_iovlen = 1;
            header.msg_flags = 0;
        }
        socket.try_io(|| {
            // SAFETY: the descriptor is open as long as `socket` is borrowed. The loop
            // above has pointed every header at a name, control data and iovec of its
            // own slot and at a frame of its own, each with its true length; slots and
            // frames are borrowed until the call returns, and any bytes are valid there.
            let code = unsafe {
                libc::recvmmsg(
                    socket.as_raw_fd(),
                    self.headers.messages.as_mut_ptr(),
                    self.headers.messages.len() as libc::c_uint,
                    libc::MSG_DONTWAIT as _,
                    ptr::null_mut(),
                )
            };
            count_or_error(code)
        })
    }
}

impl fmt::Debug for ReceiveBatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReceiveBatch")
            .field("pool", &self.pool)
            .field("frames", &self.frames.len())
            .field("batch", &self.headers.messages.len())
            .finish()
    }
}

/// Sends a queue of datagrams, up to a fixed number per system call.
pub struct SendBatch {
    headers: Headers,
}

impl SendBatch {
    /// Prepares to send up to `batch` datagrams per system call.
    pub fn new(batch: usize) -> Self {
        Self {
            headers: Headers::new(batch),
        }
    }

    /// Sends from the front of `queue` until it is empty or the socket would block, and
    /// drops what was sent or refused for good.
    pub fn send(&mut self, socket: &UdpSocket, queue: &mut VecDeque<Transmit>) -> Sent {
        let mut sent = Sent::default();
        while !queue.is_empty() {
            let outcome = self.send_messages(socket, queue);
            if settle(queue, outcome, &mut sent).is_break() {
                break;
            }
        }
        sent
    }

    /// The kernel stops at the first datagram it refuses, and says why only if that was the
    /// first of the call.
    fn send_messages(
        &mut self,
        socket: &UdpSocket,
        queue: &VecDeque<Transmit>,
    ) -> io::Result<usize> {
        let Headers { slots, messages } = &mut self.headers;
        for ((message, slot), transmit) in messages.iter_mut().zip(slots).zip(queue) {
            slot.iovec.iov_base = transmit.frame.as_ptr().cast_mut().cast();
            slot.iovec.iov_len = transmit.frame.len();
            let name_len = abi::write_name(&mut slot.name, transmit.peer).unwrap_or(0);
            let control_len = abi::write_control(&mut slot.control, transmit).unwrap_or(0);
            let header = &mut message.msg_hdr;
            header.msg_name = slot.name.as_mut_ptr().cast();
            header.msg_namelen = name_len as libc::socklen_t;
            header.msg_control = slot.control.as_mut_ptr().cast();
            header.msg_controllen = control_len as _;
            header.msg_iov = &raw mut slot.iovec;
            header.msg_iovlen = 1;
            header.msg_flags = 0;
        }
        let count = queue.len().min(messages.len());
        socket.try_io(|| {
            // SAFETY: the descriptor is open as long as `socket` is borrowed. The loop above
            // has pointed the first `count` headers at the name, control data and iovec of
            // their own slots and at the filled part of a frame in `queue`, each with its
            // true length; all are borrowed until the call returns. Of these the kernel
            // writes `msg_len` alone.
            let code = unsafe {
                libc::sendmmsg(
                    socket.as_raw_fd(),
                    messages.as_mut_ptr(),
                    count as libc::c_uint,
                    libc::MSG_DONTWAIT as _,
                )
            };
            count_or_error(code)
        })
    }
}

impl fmt::Debug for SendBatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SendBatch")
            .field("batch", &self.headers.messages.len())
            .finish()
    }
}

/// The most messages the kernel takes in one call, its `UIO_MAXIOV`.
const LARGEST_BATCH: usize = 1024;

/// Kept from call to call to spare the allocation; all pointers are set before each.
struct Headers {
    slots: Box<[Slot]>,
    messages: Box<[libc::mmsghdr]>,
}

impl Headers {
    fn new(batch: usize) -> Self {
        let batch = batch.clamp(1, LARGEST_BATCH);
        let slot = || Slot {
            control: [0; abi::CONTROL_LEN],
            name: [0; abi::NAME_LEN],
            iovec: libc::iovec {
                iov_base: ptr::null_mut(),
                iov_len: 0,
            },
        };
        // SAFETY: all of its fields are integers and raw pointers, for which zero is valid;
        // it cannot be built by name, as some C libraries pad it with private fields.
        let message = || unsafe { mem::zeroed() };
        Self {
            slots: std::iter::repeat_with(slot).take(batch).collect(),
            messages: std::iter::repeat_with(message).take(batch).collect(),
        }
    }
}

// SAFETY: what keeps the type from being `Send` is its raw pointers. They are set at the start
// of each call, by the thread that makes it, and never followed after the call has returned.
unsafe impl Send for Headers {}

#[repr(C, align(8))]
struct Slot {
    control: [u8; abi::CONTROL_LEN],
    name: [u8; abi::NAME_LEN],
    iovec: libc::iovec,
}

fn arrival((message, slot): (&libc::mmsghdr, &Slot)) -> Option<(Arrival, usize)> {
    let header = &message.msg_hdr;
    if header.msg_flags & libc::MSG_TRUNC != 0 {
        return None;
    }
    let peer = abi::read_name(slot.name.get(..header.msg_namelen as usize)?)?;
    let control_len = header.msg_controllen as _;
    let local = slot.control.get(..control_len).and_then(abi::read_control);
    Some((Arrival { peer, local }, message.msg_len as usize))
}

fn count_or_error(code: libc::c_int) -> io::Result<usize> {
    usize::try_from(code).map_err(|_| io::Error::last_os_error())
}

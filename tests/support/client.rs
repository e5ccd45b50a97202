//! A client over TCP that asks for pages.

use super::PATIENCE;
use socket2::{Domain, Socket, Type};
use std::{
    io::{ErrorKind, Read, Write},
    net::{IpAddr, SocketAddr, TcpStream},
};

/// One connection.
#[derive(Debug)]
pub struct Client {
    pub stream: TcpStream,
    received: Vec<u8>,
}

impl Client {
    pub fn new(stream: TcpStream) -> Self {
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        Self {
            stream,
            received: Vec::new(),
        }
    }

    pub fn connect(to: SocketAddr) -> Self {
        Self::new(TcpStream::connect(to).unwrap())
    }

    pub fn connect_from(source: IpAddr, to: SocketAddr) -> Self {
        let socket = Socket::new(Domain::for_address(to), Type::STREAM, None).unwrap();
        socket.bind(&SocketAddr::new(source, 0).into()).unwrap();
        socket.connect(&to.into()).unwrap();
        Self::new(socket.into())
    }

    pub fn send(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).unwrap();
    }

    pub fn ask(&mut self, request: &[u8]) -> (u16, String) {
        self.send(request);
        self.answer()
    }

    /// Status and body of the next answer.
    pub fn answer(&mut self) -> (u16, String) {
        loop {
            if let Some(answer) = self.take_answer() {
                return answer;
            }
            let mut bytes = [0; 4096];
            let count = self.stream.read(&mut bytes).unwrap();
            assert!(count > 0, "closed without an answer");
            self.received.extend_from_slice(&bytes[..count]);
        }
    }

    fn take_answer(&mut self) -> Option<(u16, String)> {
        let end = self.received.windows(4).position(|it| it == b"\r\n\r\n")? + 4;
        let head = String::from_utf8(self.received[..end].to_vec()).unwrap();
        let length = head.split_once("Content-Length: ").unwrap().1;
        let length: usize = length.lines().next().unwrap().parse().unwrap();
        if self.received.len() < end + length {
            return None;
        }
        let body = self.received[end..end + length].to_vec();
        self.received.drain(..end + length);
        let status = head[9..12].parse().unwrap();
        Some((status, String::from_utf8(body).unwrap()))
    }

    /// Waits until the server has ended the connection, saying nothing more.
    pub fn is_closed(&mut self) -> bool {
        let mut byte = [0];
        match self.stream.read(&mut byte) {
            Ok(count) => count == 0,
            Err(error) => error.kind() == ErrorKind::ConnectionReset,
        }
    }
}

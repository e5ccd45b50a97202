//! A web server that writes down what it is asked, and answers as it is told.

use super::PATIENCE;
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, Sender, channel},
    },
    thread::{self, JoinHandle},
};

/// A request, as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    pub method: String,
    pub path: String,
    /// Names and values of the query, in their order and still encoded.
    pub query: Vec<(String, String)>,
    /// Names in lower case.
    headers: Vec<(String, String)>,
    pub body: String,
}

impl Asked {
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        let found = headers.find(|(other, _)| other.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// The headers' names, in lower case and in their order.
    pub fn header_names(&self) -> Vec<&str> {
        self.headers.iter().map(|(name, _)| name.as_str()).collect()
    }

    /// The value of a parameter.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        let found = self.query.iter().find(|(other, _)| other == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The parameters' names in their order.
    pub fn names(&self) -> Vec<&str> {
        self.query.iter().map(|(name, _)| name.as_str()).collect()
    }
}

/// What it does with a request.
pub type Reply = Box<dyn FnMut(&Asked) -> Option<String> + Send>;

pub struct Stub {
    address: SocketAddr,
    asked: Receiver<Asked>,
    stopped: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Stub {
    /// Answers everything with 200 and nothing more.
    pub fn new() -> Self {
        Self::answering(Box::new(|_| Some(answer("200 OK", ""))))
    }

    /// Answers as `reply` says; what gets no answer is kept open and silent.
    pub fn answering(mut reply: Reply) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (sender, asked) = channel();
        let stopped = Arc::new(AtomicBool::new(false));
        let its = stopped.clone();
        let thread = thread::spawn(move || {
            let mut silent = Vec::new();
            for stream in listener.incoming() {
                if its.load(Ordering::Acquire) {
                    return;
                }
                if let Some(stream) = serve(stream.unwrap(), &sender, &mut reply) {
                    silent.push(stream);
                }
            }
        });
        Self {
            address,
            asked,
            stopped,
            thread: Some(thread),
        }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The next request.
    pub fn next(&self) -> Asked {
        self.asked.recv_timeout(PATIENCE).expect("a request")
    }

    /// A request that has come already.
    pub fn seen(&self) -> Option<Asked> {
        self.asked.try_recv().ok()
    }
}

impl Drop for Stub {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::Release);
        let _ = TcpStream::connect(self.address);
        let _ = self.thread.take().unwrap().join();
    }
}

/// An answer with these lines in its head.
pub fn answer(status: &str, lines: &str) -> String {
    format!("HTTP/1.1 {status}\r\n{lines}Content-Length: 0\r\nConnection: close\r\n\r\n")
}

fn serve(stream: TcpStream, asked: &Sender<Asked>, reply: &mut Reply) -> Option<TcpStream> {
    let mut reader = BufReader::new(stream);
    let mut line = || {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        Some(line.trim_end_matches("\r\n").to_owned())
    };
    let first = line()?;
    let mut words = first.split(' ');
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = Vec::new();
    while let Some(line) = line().filter(|line| !line.is_empty()) {
        let (name, value) = line.split_once(':').unwrap();
        headers.push((name.to_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let mut body = vec![0; length.map_or(0, |(_, length)| length.parse().unwrap())];
    reader.read_exact(&mut body).ok()?;
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    let pair = |pair: &str| {
        let (name, value) = pair.split_once('=').unwrap();
        (name.to_owned(), value.to_owned())
    };
    let request = Asked {
        method,
        path: path.to_owned(),
        query: pairs.map(pair).collect(),
        headers,
        body: String::from_utf8(body).unwrap(),
    };
    let answer = reply(&request);
    let mut stream = reader.into_inner();
    let _ = asked.send(request);
    match answer {
        Some(answer) => {
            let _ = stream.write_all(answer.as_bytes());
            None
        }
        None => Some(stream),
    }
}

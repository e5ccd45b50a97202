//! Entry points for fuzzers: whatever comes in, nothing panics and the promises hold.

use super::{
    Exposition, HttpService,
    request::{MAX_HEAD, Request},
};
use crate::net::{
    Sniff,
    tcp::{Rehearsal, TcpService, TcpSettings},
};
use std::sync::Arc;

/// A connection to a shared port and what it says, cut where the first bytes say.
///
/// The answer depends on the bytes alone and not on how they were cut, and every complete answer
/// is well formed.
pub fn http(data: &[u8]) {
    let Some((&[a, b], stream)) = data.split_first_chunk() else {
        return;
    };
    let settings = TcpSettings {
        connections: 2,
        extra_blocks: 4,
        ..TcpSettings::default()
    };
    let service = HttpService::new(Arc::new(Exposition::empty()));
    sniffs_alike(&service, stream);
    let mut server = Rehearsal::shared(vec![Box::new(service)], settings);
    let whole = answer(&mut server, &[stream]);
    let (first, rest) = stream.split_at(usize::from(a).min(stream.len()));
    let (second, third) = rest.split_at(usize::from(b).min(rest.len()));
    let cut = answer(&mut server, &[first, second, third]);
    assert_eq!(statuses(&whole), statuses(&cut), "cut at {a} and {b}");
    assert_eq!(server.capacity().open(), 0);
    if let Ok(Some((_, len))) = Request::parse(stream) {
        assert!(len <= stream.len().min(MAX_HEAD));
    }
}

/// More bytes never take back what was sure.
fn sniffs_alike(service: &HttpService, stream: &[u8]) {
    let mut before = Sniff::NeedMore;
    for end in 1..=stream.len().min(32) {
        let now = service.sniff(stream.get(..end).unwrap_or_default());
        assert!(before == Sniff::NeedMore || before == now);
        before = now;
    }
}

fn answer(server: &mut Rehearsal, pieces: &[&[u8]]) -> Vec<u8> {
    let Ok(id) = server.knock(None) else {
        return Vec::new();
    };
    let mut answer = Vec::new();
    for piece in pieces {
        let mut left = *piece;
        while !left.is_empty() && server.is_open(id) {
            let (now, later) = left.split_at(left.len().min(4096));
            server.receive(id, now);
            answer.extend(server.take_sent(id));
            left = later;
        }
    }
    server.half_close(id);
    answer.extend(server.take_sent(id));
    server.reset(id);
    answer
}

/// The status lines of the answers, whose bodies depend on what was counted meanwhile.
fn statuses(mut answers: &[u8]) -> Vec<&[u8]> {
    let mut statuses = Vec::new();
    while !answers.is_empty() {
        let mut fields = [httparse::EMPTY_HEADER; 8];
        let mut response = httparse::Response::new(&mut fields);
        let parsed = response.parse(answers);
        let Ok(httparse::Status::Complete(head)) = parsed else {
            panic!("not an answer: {}", answers.escape_ascii());
        };
        statuses.push(answers.get(..12).unwrap_or_default());
        answers = answers.get(head..).unwrap_or_default();
        // Answers to HEAD have no body, so the next one is looked for.
        let begins =
            |it: &[u8]| it.starts_with(b"HTTP/1.1 ") && it.last().is_some_and(u8::is_ascii_digit);
        let next = answers.windows(10).position(begins);
        answers = next.and_then(|at| answers.get(at..)).unwrap_or_default();
    }
    statuses
}

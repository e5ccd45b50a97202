//! Calls over HTTP that end in time.

use super::{hook::Outcome, report::Request, update};
use std::{fmt, io::Read, time::Duration};
use ureq::{
    Agent, Body,
    config::AutoHeaderValue,
    http::{Response, Uri},
};

/// For each step of a call: to find the host, to connect, to ask, and to wait for the answer.
const STEP: Duration = Duration::from_secs(2);
/// Bytes of an answer that the log is shown.
const SHOWN: u64 = 512;

/// Makes calls, one at a time.
#[derive(Debug)]
pub(super) struct Client {
    agent: Agent,
}

/// Why a list has not taken a report.
#[derive(Debug)]
pub(super) enum Failure {
    Status(u16),
    Call(ureq::Error),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status(status) => write!(f, "it answers with status {status}"),
            Self::Call(error) => write!(f, "{error}"),
        }
    }
}

impl Client {
    pub(super) fn new() -> Self {
        let config = Agent::config_builder()
            .timeout_resolve(Some(STEP))
            .timeout_connect(Some(STEP))
            .timeout_send_request(Some(STEP))
            .timeout_send_body(Some(STEP))
            .timeout_recv_response(Some(STEP))
            .timeout_recv_body(Some(STEP))
            .http_status_as_error(false)
            // Lists take the caller's address for the server's.
            .proxy(None)
            .max_redirects(2)
            // Between two reports a list forgets its connections.
            .max_idle_connections(0)
            .user_agent(concat!("Samara/", env!("CARGO_PKG_VERSION")))
            .build();
        Self {
            agent: config.new_agent(),
        }
    }

    /// Reports to a list; the beginning of its answer.
    pub(super) fn report(&self, request: &Request) -> Result<String, Failure> {
        let mut call = self.agent.get(&request.url);
        for (name, value) in &request.headers {
            call = call.header(*name, value);
        }
        let mut answer = call.call().map_err(Failure::Call)?;
        match answer.status().as_u16() {
            200..=299 => Ok(beginning(&mut answer)),
            status => Err(Failure::Status(status)),
        }
    }

    /// Gets a page and tells nothing but the user agent; the beginning of it.
    pub(super) fn look(&self, url: &str) -> Result<String, Failure> {
        let call = self.agent.get(url).config();
        let call = call.accept(AutoHeaderValue::None).max_redirects(0).build();
        let mut answer = call.call().map_err(Failure::Call)?;
        match answer.status().as_u16() {
            200..=299 => {
                let mut text = String::new();
                let reader = answer.body_mut().as_reader();
                // One that breaks off, or is no text, cannot be understood either.
                let _ = reader.take(update::ANSWER).read_to_string(&mut text);
                Ok(text)
            }
            status => Err(Failure::Status(status)),
        }
    }

    /// Posts a body of JSON to a hook.
    pub(super) fn post(&self, url: &str, body: &str) -> (Outcome, String) {
        let call = self.agent.post(url).config().max_redirects(0).build();
        let call = call.header("Content-Type", "application/json");
        let answer = match call.send(body) {
            Ok(answer) => answer,
            Err(error) => return (Outcome::Failed, error.to_string()),
        };
        let field = |name| answer.headers().get(name).and_then(|it| it.to_str().ok());
        let outcome = Outcome::of(
            answer.status().as_u16(),
            field("Retry-After"),
            field("X-RateLimit-Remaining"),
            field("X-RateLimit-Reset-After"),
        );
        (
            outcome,
            format!("it answers with status {}", answer.status().as_u16()),
        )
    }
}

fn beginning(answer: &mut Response<Body>) -> String {
    let mut bytes = Vec::new();
    let reader = answer.body_mut().as_reader();
    // An answer that breaks off is as good as one that is short.
    let _ = reader.take(SHOWN).read_to_end(&mut bytes);
    bytes.escape_ascii().to_string()
}

/// Whether `text` is an address that can be called: `http` or `https`, with a host.
pub fn is_url(text: &str) -> bool {
    text.parse::<Uri>().is_ok_and(|uri| {
        matches!(uri.scheme_str(), Some("http" | "https"))
            && uri.host().is_some_and(|host| !host.is_empty())
            && !text.contains('#')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_can_be_called() {
        for (text, expected) in [
            ("http://list.example/touch.php", true),
            ("https://hooks.example:8443/a/b?c=d", true),
            ("http://[::1]:80/", true),
            ("ftp://list.example/", false),
            ("list.example/touch.php", false),
            ("http:///touch.php", false),
            ("http://list.example/#top", false),
            ("http://list.example/a b", false),
            ("", false),
        ] {
            assert_eq!(is_url(text), expected, "{text}");
        }
    }
}

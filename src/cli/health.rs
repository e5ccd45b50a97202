//! `samara health`: whether a server answers, for containers and supervisors that have no
//! program to ask with.

use std::time::Duration;
use ureq::Agent;

/// Where a server on its built-in configuration answers.
pub(crate) const USUAL: &str = "127.0.0.1:27888";

/// For the whole of it.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Asks the server at `at` for its health.
///
/// # Errors
///
/// Says why it is not well, or cannot be asked.
pub(crate) fn ask(at: &str) -> Result<(), String> {
    let config = Agent::config_builder()
        .timeout_global(Some(TIMEOUT))
        .http_status_as_error(false)
        .proxy(None)
        .max_redirects(0)
        .build();
    let url = url(at);
    match config.new_agent().get(&url).call() {
        Ok(answer) if answer.status() == 200 => Ok(()),
        Ok(answer) => Err(format!(
            "{url} answers with status {}",
            answer.status().as_u16()
        )),
        Err(error) => Err(format!("{url} does not answer: {error}")),
    }
}

/// The page's address, of a server's address, its port alone, or a whole address of the web.
fn url(at: &str) -> String {
    let is_port = !at.is_empty() && at.bytes().all(|byte| byte.is_ascii_digit());
    let base = match at.split_once("://") {
        Some(_) => at.trim_end_matches('/').to_owned(),
        None if is_port => format!("http://127.0.0.1:{at}"),
        None => format!("http://{at}"),
    };
    let (_, rest) = base.split_once("://").unwrap_or_default();
    match rest.contains('/') {
        true => base,
        false => format!("{base}/health"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_it_is_asked() {
        for (at, expected) in [
            (USUAL, "http://127.0.0.1:27888/health"),
            ("27900", "http://127.0.0.1:27900/health"),
            ("[::1]:27888", "http://[::1]:27888/health"),
            ("server.example", "http://server.example/health"),
            ("http://10.0.0.1:9100", "http://10.0.0.1:9100/health"),
            ("http://10.0.0.1:9100/", "http://10.0.0.1:9100/health"),
            ("https://a.example/x/health", "https://a.example/x/health"),
        ] {
            assert_eq!(url(at), expected);
        }
    }
}

//! The head of a request.

use httparse::{EMPTY_HEADER, Error, Header};

/// Longest head in bytes, its empty line included.
pub(super) const MAX_HEAD: usize = 8 << 10;

/// Most header fields.
const MAX_FIELDS: usize = 64;

/// How requests begin, the last one HTTP/2 by whoever did not ask first.
pub(super) const VERBS: &[&[u8]] = &[
    b"GET ",
    b"HEAD ",
    b"POST ",
    b"PUT ",
    b"DELETE ",
    b"OPTIONS ",
    b"PATCH ",
    b"TRACE ",
    b"CONNECT ",
    b"PRI * HTTP/2.0\r\n",
];

/// What a request asks for, as far as it matters here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Request<'b> {
    pub(super) method: Method,
    /// Without the query.
    pub(super) path: &'b [u8],
    pub(super) has_body: bool,
    /// Whether the connection can serve another request.
    pub(super) keep_alive: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    Get,
    Head,
    Other,
}

/// Why a request is not read, and the connection is closed with its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    Malformed,
    TooLong,
    TooSlow,
    Body,
    Version,
}

impl Refusal {
    pub(super) const fn status(self) -> &'static str {
        match self {
            Self::Malformed => "400 Bad Request",
            Self::TooLong => "431 Request Header Fields Too Large",
            Self::TooSlow => "408 Request Timeout",
            Self::Body => "413 Content Too Large",
            Self::Version => "505 HTTP Version Not Supported",
        }
    }

    pub(super) const fn text(self) -> &'static str {
        match self {
            Self::Malformed => "This is no HTTP request.",
            Self::TooLong => "The request's head is too long.",
            Self::TooSlow => "The request took too long.",
            Self::Body => "A request here has no body.",
            Self::Version => "HTTP/1.1 and HTTP/1.0 are spoken here.",
        }
    }
}

impl<'b> Request<'b> {
    /// The request at the front of `bytes` and the length of its head; `None` if more must
    /// follow.
    pub(super) fn parse(bytes: &'b [u8]) -> Result<Option<(Self, usize)>, Refusal> {
        let head = bytes.get(..MAX_HEAD).unwrap_or(bytes);
        let mut fields = [EMPTY_HEADER; MAX_FIELDS];
        let mut request = httparse::Request::new(&mut fields);
        let len = match request.parse(head) {
            Ok(httparse::Status::Complete(len)) => len,
            Ok(httparse::Status::Partial) if head.len() == MAX_HEAD => {
                return Err(Refusal::TooLong);
            }
            Ok(httparse::Status::Partial) => return Ok(None),
            Err(Error::TooManyHeaders) => return Err(Refusal::TooLong),
            Err(Error::Version) => return Err(Refusal::Version),
            Err(_) => return Err(Refusal::Malformed),
        };
        let (Some(method), Some(target), Some(version)) =
            (request.method, request.path, request.version)
        else {
            return Err(Refusal::Malformed);
        };
        let fields = Fields::read(request.headers)?;
        if version > 0 && fields.hosts != 1 {
            return Err(Refusal::Malformed);
        }
        let request = Self {
            method: match method {
                "GET" => Method::Get,
                "HEAD" => Method::Head,
                _ => Method::Other,
            },
            path: path(target.as_bytes()).ok_or(Refusal::Malformed)?,
            has_body: fields.has_body,
            keep_alive: !fields.has_body && !fields.close && (version > 0 || fields.keep_alive),
        };
        Ok(Some((request, len)))
    }
}

/// What the header fields say.
#[derive(Default)]
struct Fields {
    hosts: usize,
    has_body: bool,
    close: bool,
    keep_alive: bool,
}

impl Fields {
    fn read(headers: &[Header<'_>]) -> Result<Self, Refusal> {
        let mut fields = Self::default();
        for Header { name, value } in headers {
            if name.eq_ignore_ascii_case("host") {
                fields.hosts += 1;
            } else if name.eq_ignore_ascii_case("content-length") {
                let is_number = !value.is_empty() && value.iter().all(u8::is_ascii_digit);
                if !is_number {
                    return Err(Refusal::Malformed);
                }
                fields.has_body |= value.iter().any(|&digit| digit != b'0');
            } else if name.eq_ignore_ascii_case("transfer-encoding") {
                fields.has_body = true;
            } else if name.eq_ignore_ascii_case("connection") {
                for token in value.split(|&byte| byte == b',').map(<[u8]>::trim_ascii) {
                    fields.close |= token.eq_ignore_ascii_case(b"close");
                    fields.keep_alive |= token.eq_ignore_ascii_case(b"keep-alive");
                }
            }
        }
        Ok(fields)
    }
}

/// The path of a request's target, which may be a whole address (RFC 9112, 3.2.2).
fn path(target: &[u8]) -> Option<&[u8]> {
    let path = if target.starts_with(b"/") || target == b"*" {
        target
    } else {
        let scheme = target.windows(3).position(|part| part == b"://")?;
        let rest = target.get(scheme + 3..)?;
        match rest.iter().position(|&byte| byte == b'/') {
            Some(slash) => rest.get(slash..)?,
            None => b"/",
        }
    };
    path.split(|&byte| byte == b'?').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(bytes: &[u8]) -> Request<'_> {
        let (request, len) = Request::parse(bytes).unwrap().unwrap();
        assert_eq!(len, bytes.len());
        request
    }

    #[test]
    fn what_a_browser_and_a_script_send() {
        let browser = request(b"GET /metrics?x=1 HTTP/1.1\r\nHost: a\r\nAccept: */*\r\n\r\n");
        let expected = Request {
            method: Method::Get,
            path: b"/metrics",
            has_body: false,
            keep_alive: true,
        };
        assert_eq!(browser, expected);
        let script = request(b"HEAD /health HTTP/1.0\r\n\r\n");
        assert_eq!((script.method, script.keep_alive), (Method::Head, false));
        let old = request(b"GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n");
        assert!(old.keep_alive);
        let last = request(b"GET / HTTP/1.1\r\nhost: a\r\nConnection: te, Close\r\n\r\n");
        assert!(!last.keep_alive);
        let proxy = request(b"GET http://a:1/health?b HTTP/1.1\r\nHost: a:1\r\n\r\n");
        assert_eq!(proxy.path, b"/health");
        let root = request(b"OPTIONS http://a HTTP/1.1\r\nHost: a\r\n\r\n");
        assert_eq!((root.method, root.path), (Method::Other, &b"/"[..]));
    }

    #[test]
    fn bodies_are_seen() {
        for (field, has_body) in [
            ("Content-Length: 0", false),
            ("Content-Length: 10", true),
            ("Transfer-Encoding: chunked", true),
        ] {
            let text = format!("POST / HTTP/1.1\r\nHost: a\r\n{field}\r\n\r\n");
            let request = request(text.as_bytes());
            assert_eq!(request.has_body, has_body);
            assert_eq!(request.keep_alive, !has_body);
        }
    }

    #[test]
    fn every_beginning_is_incomplete() {
        let text = b"GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
        for end in 0..text.len() {
            assert_eq!(Request::parse(&text[..end]), Ok(None), "{end}");
        }
    }

    #[test]
    fn mistakes_are_named() {
        let refused = |bytes: &[u8]| Request::parse(bytes).unwrap_err();
        for text in [
            "GET /health HTTP/1.1\r\n\r\n",
            "GET /health HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
            "GET /health HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
            "GET /health HTTP/1.1\r\nHost a\r\n\r\n",
            "GET health HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET \0\r\n\r\n",
        ] {
            assert_eq!(refused(text.as_bytes()), Refusal::Malformed, "{text:?}");
        }
        assert_eq!(refused(b"GET / HTTP/3.0\r\n\r\n"), Refusal::Version);
        let mut long = b"GET / HTTP/1.1\r\nHost: a\r\n".to_vec();
        long.resize(MAX_HEAD, b'x');
        assert_eq!(refused(&long), Refusal::TooLong);
        let many = format!(
            "GET / HTTP/1.1\r\n{}\r\n",
            "a: b\r\n".repeat(MAX_FIELDS + 1)
        );
        assert_eq!(refused(many.as_bytes()), Refusal::TooLong);
    }
}

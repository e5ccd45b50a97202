//! Ports of the gateway's own, and what those who come there are told to come back to.

use super::Advertise;
use std::{
    fmt,
    net::{IpAddr, SocketAddr, SocketAddrV4},
    str::FromStr,
};

/// Where clients are sent that a server sends elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Public {
    /// The address.
    pub address: Advertise,
    /// The port; `None` is the one they came to.
    pub port: Option<u16>,
}

impl Public {
    /// What a client that came to `local` is told in place of `told`; `None` if that would be
    /// an IPv6 address, for which packets have no room.
    pub fn place(self, local: Option<SocketAddr>, told: SocketAddrV4) -> Option<SocketAddrV4> {
        let arrived = local.map(|local| local.ip().to_canonical());
        let ip = match (self.address, arrived) {
            (Advertise::Address(ip), _) => ip,
            (Advertise::Keep, _) => *told.ip(),
            (Advertise::Arrived, Some(IpAddr::V4(ip))) => ip,
            (Advertise::Arrived, _) => return None,
        };
        let port = self.port.or(local.map(|local| local.port()))?;
        Some(SocketAddrV4::new(ip, port))
    }
}

/// A port of the gateway's own.
///
/// Its text is `ADDRESS:PORT`, with `=> PUBLIC` behind it if who comes there is told something
/// else than the others: an IPv4 address, with a port or without, `arrived` or `keep`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listener {
    /// Where it listens.
    pub address: SocketAddr,
    /// What its clients are told; `None` is what all are.
    pub public: Option<Public>,
}

impl Listener {
    /// Whether a connection that came to `local` came here.
    pub fn is_at(&self, local: SocketAddr) -> bool {
        let ip = self.address.ip();
        let is_of_family = ip.is_ipv4() == local.is_ipv4();
        self.address.port() == local.port()
            && is_of_family
            && (ip.is_unspecified() || ip == local.ip())
    }
}

/// A text is no listener.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadListener;

impl fmt::Display for BadListener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not ADDRESS:PORT or ADDRESS:PORT => PUBLIC")
    }
}

impl std::error::Error for BadListener {}

impl FromStr for Listener {
    type Err = BadListener;

    fn from_str(text: &str) -> Result<Self, BadListener> {
        let (address, public) = match text.split_once("=>") {
            Some((address, public)) => (address.trim(), Some(public.trim())),
            None => (text.trim(), None),
        };
        let address = address.parse().map_err(|_| BadListener)?;
        let public = public.map(|public| {
            let place = public.parse::<SocketAddrV4>().ok();
            let (address, port) = match place {
                Some(place) if place.port() > 0 => (place.ip().to_string(), Some(place.port())),
                _ => (public.to_owned(), None),
            };
            let address = address.parse().map_err(|_| BadListener)?;
            Ok(Public { address, port })
        });
        let public = public.transpose()?;
        Ok(Self { address, public })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(listener: &str, local: &str) -> Option<String> {
        let listener: Listener = listener.parse().unwrap();
        let local = local.parse().unwrap();
        let told = "10.0.0.1:7575".parse().unwrap();
        let public = listener.public.filter(|_| listener.is_at(local))?;
        public.place(Some(local), told).map(|it| it.to_string())
    }

    #[test]
    fn each_listener_tells_its_own() {
        let is = |text: &str| Some(text.to_owned());
        let lan = "0.0.0.0:8484 => 192.168.1.2";
        assert_eq!(told(lan, "192.168.1.2:8484"), is("192.168.1.2:8484"));
        assert_eq!(told(lan, "192.168.1.2:8485"), None);
        let other = "192.168.1.2:8484=>203.0.113.1:9000";
        assert_eq!(told(other, "192.168.1.2:8484"), is("203.0.113.1:9000"));
        assert_eq!(told(other, "192.168.1.3:8484"), None);
        let arrived = "192.168.1.2:8484 => arrived";
        assert_eq!(told(arrived, "192.168.1.2:8484"), is("192.168.1.2:8484"));
        let keep = "192.168.1.2:8484 => keep";
        assert_eq!(told(keep, "192.168.1.2:8484"), is("10.0.0.1:8484"));
        assert_eq!(told("[::]:8484 => arrived", "[2001:db8::1]:8484"), None);
        assert_eq!(told("192.168.1.2:8484", "192.168.1.2:8484"), None);
    }

    #[test]
    fn what_is_no_listener_is_refused() {
        for text in [
            "",
            "8484",
            "a:1",
            "1.2.3.4",
            "1.2.3.4:1 =>",
            "1.2.3.4:1 => b",
            "1.2.3.4:1 => 1.2.3.4:0",
            "1.2.3.4:1 => ::1",
        ] {
            assert_eq!(text.parse::<Listener>(), Err(BadListener), "{text}");
        }
    }
}

//! Where the servers are that a login or game server sends its clients to.

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, SocketAddr, SocketAddrV4},
    ops::RangeInclusive,
    str::FromStr,
};

/// Servers that may be connected to, by what is said of them to clients.
///
/// Its text is `ADDRESS:PORT`, `ADDRESS:FIRST-LAST`, either with `*` for any address, and
/// `=> HOST` behind it if they are reached at another address than they are told to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    told: Option<Ipv4Addr>,
    ports: RangeInclusive<u16>,
    host: Option<IpAddr>,
}

impl Route {
    /// The server at `told`, if the route is to it.
    fn lead(&self, told: SocketAddrV4) -> Option<SocketAddr> {
        let is_it = self.told.is_none_or(|address| address == *told.ip());
        let leads = is_it && self.ports.contains(&told.port());
        let host = self.host.unwrap_or_else(|| (*told.ip()).into());
        leads.then(|| SocketAddr::new(host, told.port()))
    }
}

/// A text is no route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadRoute;

impl fmt::Display for BadRoute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not ADDRESS:FIRST-LAST or ADDRESS:FIRST-LAST => HOST")
    }
}

impl std::error::Error for BadRoute {}

impl FromStr for Route {
    type Err = BadRoute;

    fn from_str(text: &str) -> Result<Self, BadRoute> {
        let (told, host) = match text.split_once("=>") {
            Some((told, host)) => (told.trim(), Some(host.trim())),
            None => (text.trim(), None),
        };
        let (address, ports) = told.split_once(':').ok_or(BadRoute)?;
        let (first, last) = ports.split_once('-').unwrap_or((ports, ports));
        let port = |text: &str| text.trim().parse::<u16>().map_err(|_| BadRoute);
        let (first, last) = (port(first)?, port(last)?);
        if first == 0 || first > last {
            return Err(BadRoute);
        }
        let host = host.map(str::parse).transpose().map_err(|_| BadRoute)?;
        let told = match address.trim() {
            // Whatever a hostile server names would be connected to.
            "*" if host.is_none() => return Err(BadRoute),
            "*" => None,
            address => Some(address.parse().map_err(|_| BadRoute)?),
        };
        Ok(Self {
            told,
            ports: first..=last,
            host,
        })
    }
}

/// All routes. Without any, every port of the login server's own host is one, whatever address
/// it tells: servers of this family tell the one that fits the client's, which is ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Routes {
    login: SocketAddr,
    routes: Vec<Route>,
}

impl Routes {
    /// Those to take from a login server at `login`.
    pub fn new(login: SocketAddr, routes: Vec<Route>) -> Self {
        Self { login, routes }
    }

    /// The login server.
    pub fn login(&self) -> SocketAddr {
        self.login
    }

    /// The server that clients are told is at `told`; `None` if it may not be connected to.
    pub fn find(&self, told: SocketAddrV4) -> Option<SocketAddr> {
        if self.routes.is_empty() {
            return Some(SocketAddr::new(self.login.ip(), told.port()));
        }
        self.routes.iter().find_map(|route| route.lead(told))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(routes: &[&str], told: &str) -> Option<String> {
        let routes = routes.iter().map(|text| text.parse().unwrap()).collect();
        let routes = Routes::new("127.0.0.1:8484".parse().unwrap(), routes);
        let found = routes.find(told.parse().unwrap());
        found.map(|server| server.to_string())
    }

    #[test]
    fn without_routes_all_servers_are_where_the_login_server_is() {
        let server = Some("127.0.0.1:7575".to_owned());
        assert_eq!(find(&[], "203.0.113.1:7575"), server);
    }

    #[test]
    fn routes_are_the_only_ways() {
        let routes = [
            "10.0.0.2:7575-7580",
            "203.0.113.1:8585=>10.0.0.3",
            "*:9000-9001 => ::1",
        ];
        let server = |text: &str| Some(text.to_owned());
        assert_eq!(find(&routes, "10.0.0.2:7580"), server("10.0.0.2:7580"));
        assert_eq!(find(&routes, "10.0.0.2:7581"), None);
        assert_eq!(find(&routes, "203.0.113.1:8585"), server("10.0.0.3:8585"));
        assert_eq!(find(&routes, "1.2.3.4:9001"), server("[::1]:9001"));
        assert_eq!(find(&routes, "1.2.3.4:8585"), None);
    }

    #[test]
    fn what_is_no_route_is_refused() {
        for text in [
            "",
            "*",
            "1.2.3.4",
            "1.2.3.4:0",
            "1.2.3.4:2-1",
            "a:1",
            "*:1-2",
            "1.2.3.4:1 => b",
            "::1:80",
        ] {
            assert_eq!(text.parse::<Route>(), Err(BadRoute), "{text}");
        }
    }
}

//! How the values of options are read.

use crate::{duration::time, measure::Late};
use samara::kaillera::message::ConnectionType;
use std::{
    net::{SocketAddr, ToSocketAddrs},
    time::Duration,
};

/// Longest run; nothing here goes on for ever.
const LONGEST: Duration = Duration::from_secs(3600);

/// Most of anything that is sent per second.
pub(crate) const MAX_RATE: u32 = 1_000_000;

/// How fast something goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rate {
    PerSecond(u32),
    /// As fast as answers come.
    Max,
}

pub(super) fn connection_type(text: &str) -> Result<ConnectionType, String> {
    let number = text.parse().ok().and_then(ConnectionType::from_byte);
    number.ok_or_else(|| "a connection type is a number from 1 to 6".into())
}

/// An address, or a name and a port; of several addresses the first IPv4 one.
pub(super) fn target(text: &str) -> Result<SocketAddr, String> {
    let resolved = text.to_socket_addrs();
    let addresses: Vec<_> = resolved.map_err(|error| error.to_string())?.collect();
    let v4 = addresses.iter().find(|it| it.is_ipv4());
    match v4.or(addresses.first()) {
        None => Err("nobody has that name".into()),
        Some(address) if address.port() == 0 => Err("port 0 is none".into()),
        Some(address) => Ok(*address),
    }
}

/// How long a run takes.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let duration = time(text)?;
    if duration < Duration::from_millis(1) || duration > LONGEST {
        return Err("a run takes between 1 ms and an hour".into());
    }
    Ok(duration)
}

/// How often something is said.
pub(super) fn interval(text: &str) -> Result<Duration, String> {
    let interval = time(text)?;
    // Who says nothing for much longer is taken for gone.
    if !(Duration::from_millis(100)..=Duration::from_secs(60)).contains(&interval) {
        return Err("that may be between 100 ms and 60 s".into());
    }
    Ok(interval)
}

pub(super) fn late(text: &str) -> Result<Late, String> {
    let wrong = || "a number, or a percentage such as 0.1%".to_owned();
    match text.strip_suffix('%') {
        Some(percent) => {
            let percent = percent.parse().map_err(|_| wrong())?;
            let valid = (0.0..=100.0).contains(&percent);
            valid.then_some(Late::Percent(percent)).ok_or_else(wrong)
        }
        None => text.parse().map(Late::Count).map_err(|_| wrong()),
    }
}

pub(super) fn rate(text: &str) -> Result<Rate, String> {
    let in_range = |&number: &u32| (1..=MAX_RATE).contains(&number);
    match text {
        "max" => Ok(Rate::Max),
        _ => match text.parse().ok().filter(in_range) {
            Some(number) => Ok(Rate::PerSecond(number)),
            None => Err(format!("a number from 1 to {MAX_RATE}, or max")),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_limited() {
        assert_eq!(duration("60m"), Ok(LONGEST));
        for text in ["0s", "999us", "61m", "18446744073709551615m"] {
            assert!(duration(text).is_err(), "{text}");
        }
        assert!(interval("10ms").is_err());
        assert!(interval("61s").is_err());
    }

    #[test]
    fn targets_have_an_address_and_a_port() {
        let local = SocketAddr::from(([127, 0, 0, 1], 27888));
        assert_eq!(target("127.0.0.1:27888"), Ok(local));
        assert_eq!(target("localhost:27888"), Ok(local));
        assert!(target("[::1]:5").is_ok());
        for text in ["127.0.0.1", "127.0.0.1:0", "127.0.0.1:70000", ":5x"] {
            assert!(target(text).is_err(), "{text}");
        }
    }

    #[test]
    fn late_is_a_number_or_a_percentage() {
        assert_eq!(late("7"), Ok(Late::Count(7)));
        assert_eq!(late("0.5%"), Ok(Late::Percent(0.5)));
        for text in ["", "%", "-1", "101%", "NaN%", "x"] {
            assert!(late(text).is_err(), "{text}");
        }
    }

    #[test]
    fn rates_are_bounded() {
        assert_eq!(rate("max"), Ok(Rate::Max));
        assert_eq!(rate("1000000"), Ok(Rate::PerSecond(1_000_000)));
        for text in ["0", "1000001", "-1", "fast"] {
            assert!(rate(text).is_err(), "{text}");
        }
    }
}

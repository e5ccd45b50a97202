//! Frame delay (kaillera.md 7.2).

use crate::kaillera::message::ConnectionType;
use std::time::Duration;

/// Computes the delay, in messages, that hides a round trip of `ping`; at least 1.
pub fn frame_delay(ping: Duration, connection_type: ConnectionType) -> u16 {
    let messages_per_second = u128::from(60 / connection_type as u8);
    let hidden = ping.as_nanos().saturating_mul(messages_per_second) / 1_000_000_000;
    u16::try_from(hidden).unwrap_or(u16::MAX).saturating_add(1)
}

/// Counts the frames a client told `delay` plays before the first one that needs data.
pub fn blank_frames(delay: u16, connection_type: ConnectionType) -> u32 {
    (u32::from(delay) + 1) * connection_type as u32 - 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    const VECTORS: &str = include_str!("../../tests/data/kaillera_sync.json");
    const TYPES: [ConnectionType; 6] = [
        ConnectionType::Lan,
        ConnectionType::Excellent,
        ConnectionType::Good,
        ConnectionType::Average,
        ConnectionType::Low,
        ConnectionType::Bad,
    ];

    #[test]
    fn agrees_with_the_vectors() {
        let vectors: Value = serde_json::from_str(VECTORS).unwrap();
        let cases = vectors["frame_delay"].as_array().unwrap();
        assert_eq!(cases.len(), 138);
        for case in cases {
            let number = |key: &str| case[key].as_u64().unwrap();
            let connection_type = TYPES[number("connection_type") as usize - 1];
            let delay = frame_delay(Duration::from_millis(number("ping_ms")), connection_type);
            assert_eq!(u64::from(delay), number("frame_delay"), "{case}");
            let blank = u64::from(blank_frames(delay, connection_type));
            assert_eq!(blank, number("client_blank_frames"), "{case}");
        }
    }

    /// The table of kaillera-server.md 8.3.
    #[test]
    fn agrees_with_the_table_of_the_specification() {
        for (ping, delays) in [
            (10, [1, 1, 1, 1, 1, 1]),
            (16, [1, 1, 1, 1, 1, 1]),
            (17, [2, 1, 1, 1, 1, 1]),
            (33, [2, 1, 1, 1, 1, 1]),
            (34, [3, 2, 1, 1, 1, 1]),
            (51, [4, 2, 2, 1, 1, 1]),
            (100, [7, 4, 3, 2, 2, 2]),
            (150, [10, 5, 4, 3, 2, 2]),
            (250, [16, 8, 6, 4, 4, 3]),
        ] {
            let ping = Duration::from_millis(ping);
            assert_eq!(TYPES.map(|it| frame_delay(ping, it)), delays, "{ping:?}");
            for (connection_type, delay) in TYPES.into_iter().zip(delays) {
                let shown = (u32::from(delay) + 1) * connection_type as u32 - 1;
                assert_eq!(blank_frames(delay, connection_type), shown);
            }
        }
    }

    #[test]
    fn grows_at_the_exact_multiple() {
        for connection_type in TYPES {
            for k in 1..=60_u64 {
                let nanos = (k * connection_type as u64 * 1_000_000_000).div_ceil(60);
                let at =
                    |nanos| u64::from(frame_delay(Duration::from_nanos(nanos), connection_type));
                assert_eq!(at(nanos - 1), k);
                assert_eq!(at(nanos), k + 1);
            }
        }
    }

    #[test]
    fn saturates() {
        assert_eq!(frame_delay(Duration::MAX, ConnectionType::Lan), u16::MAX);
        assert_eq!(blank_frames(u16::MAX, ConnectionType::Bad), 65_536 * 6 - 1);
    }
}

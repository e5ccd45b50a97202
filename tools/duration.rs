//! How the tools read a time.

use std::time::Duration;

/// A time such as 30s, 2m, 1.5s, 500ms or 250us; a bare number is seconds.
pub(crate) fn time(text: &str) -> Result<Duration, String> {
    if let Ok(seconds) = text.parse() {
        return Ok(Duration::from_secs(seconds));
    }
    let time = text.parse::<jiff::SignedDuration>().ok();
    let time = time.and_then(|time| Duration::try_from(time).ok());
    time.ok_or_else(|| "a time is like 30s, 2m or 500ms".into())
}

#[cfg(test)]
mod tests {
    use super::time;
    use std::time::Duration;

    #[test]
    fn times_have_units() {
        for (text, micros) in [
            ("5", 5_000_000),
            ("7us", 7),
            ("250ms", 250_000),
            ("1.5s", 1_500_000),
            ("2m", 120_000_000),
            ("1m 30s", 90_000_000),
        ] {
            assert_eq!(time(text), Ok(Duration::from_micros(micros)), "{text}");
        }
        for text in ["", "s", "-1s", "1 parsec", "99999999999999999999s"] {
            assert!(time(text).is_err(), "{text}");
        }
    }
}

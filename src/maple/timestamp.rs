//! The three ways packets tell time, from milliseconds since 1970 (maple.md 14.2).
//!
//! The Java library takes an hour off while its own zone has daylight time; these do not, as
//! what a client is told must not depend on where the server stands.

#![forbid(unsafe_code)]

/// 1970 in units of 100 ns since 1601.
const UNIX_EPOCH: i64 = 116_444_736_000_000_000;

/// The time in units of 100 ns since 1601; beyond the range of 64 bits it stays at the limit.
pub const fn file_time(unix_ms: i64) -> i64 {
    unix_ms.saturating_mul(10_000).saturating_add(UNIX_EPOCH)
}

/// The item clock's ticks, some 36 a minute; they wrap.
pub const fn item_time(unix_ms: i64) -> i32 {
    let minutes = unix_ms.saturating_sub(946_681_229_830) / 1000 / 60;
    ((minutes as f64 * 35.762_787) as i32).wrapping_sub(1_085_019_342)
}

/// The quest clock's ticks, some 8 an hour; they wrap.
pub const fn quest_time(unix_ms: i64) -> i32 {
    let minutes = unix_ms / 1000 / 60 - 360;
    ((minutes as f64 * 0.139_698_7) as i32).wrapping_add(27_111_908)
}

//! Protocol + rules + actors + net = something people use.

#![forbid(unsafe_code)]

pub mod http;
pub mod kaillera;

//! Protocol + rules + actors + net = something people use.

#![forbid(unsafe_code)]

pub mod gateway;
pub mod http;
pub mod kaillera;
pub mod lists;
pub mod maple;
pub mod packet_log;

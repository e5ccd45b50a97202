//! Protocol + rules + actors + net = something people use.

#![forbid(unsafe_code)]

pub mod kaillera;

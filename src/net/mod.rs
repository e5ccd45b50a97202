//! Sockets and event loops; knows no protocol.
//!
//! Everything here is edge-triggered: whoever stops reading or writing before the system
//! says that it would block has to come back by itself, as nothing will wake it.

pub mod sys;

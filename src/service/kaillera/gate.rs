//! Who may come in, for the loops: what the lobby knows of it, as it was when that last changed.

use crate::{
    access::{Access, AccessLevel},
    timer::Time,
};
use std::{
    net::IpAddr,
    sync::{Arc, Mutex, PoisonError},
};

/// The lobby's decisions, to be asked for strangers only.
#[derive(Debug, Default)]
pub(super) struct Gate(Mutex<Arc<Access>>);

impl Gate {
    pub(super) fn new(access: Access) -> Self {
        Self(Mutex::new(Arc::new(access)))
    }

    /// Puts `access` in the place of what it knows.
    pub(super) fn set(&self, access: Access) {
        let access = Arc::new(access);
        // Whoever holds the lock only copies a pointer.
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = access;
    }

    /// Whether an address may connect.
    pub(super) fn is_open(&self, now: Time, address: IpAddr) -> bool {
        self.access().may_connect(now, address)
    }

    /// Whether users from an address are let in when the server is full.
    pub(super) fn enters_full(&self, now: Time, address: IpAddr) -> bool {
        self.access().level(now, address) > AccessLevel::Normal
    }

    fn access(&self) -> Arc<Access> {
        let access = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        access.clone()
    }
}

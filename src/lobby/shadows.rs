//! Addresses whose lines nobody else sees, without their knowing.

use crate::{access::TooMany, timer::Time};
use std::{collections::BTreeMap, net::IpAddr, time::Duration};

/// Most such addresses; far more than admins can type.
const MOST: usize = 10_000;

/// Who is not seen, and until when.
#[derive(Debug, Default)]
pub(super) struct Shadows(BTreeMap<IpAddr, Time>);

impl Shadows {
    /// Hides the lines of an address for some time.
    pub(super) fn add(
        &mut self,
        now: Time,
        address: IpAddr,
        length: Duration,
    ) -> Result<(), TooMany> {
        self.0.retain(|_, end| now < *end);
        let is_new = !self.0.contains_key(&address.to_canonical());
        if is_new && self.0.len() >= MOST {
            return Err(TooMany);
        }
        self.0.insert(address.to_canonical(), now + length);
        Ok(())
    }

    /// Shows its lines again; answers whether they were hidden.
    pub(super) fn remove(&mut self, address: IpAddr) -> bool {
        self.0.remove(&address.to_canonical()).is_some()
    }

    /// Whether its lines are hidden.
    pub(super) fn hides(&self, now: Time, address: IpAddr) -> bool {
        let end = self.0.get(&address.to_canonical());
        end.is_some_and(|end| now < *end)
    }
}

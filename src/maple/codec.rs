//! Where encoders and decoders of a profile come from.

#![forbid(unsafe_code)]

use super::{Decoder, Direction, Encoder, Iv, KeySchedule, Profile, shanda::Shanda, track::Track};

/// Makes encoders and decoders of one profile; they share its key schedule.
#[derive(Clone, Debug)]
pub struct Codec {
    profile: Profile,
    schedule: KeySchedule,
    shanda: Shanda,
}

impl Codec {
    /// Expands the profile's key and picks the Shanda backend of this machine.
    pub fn new(profile: Profile) -> Self {
        Self {
            profile,
            schedule: KeySchedule::new(profile.key),
            shanda: Shanda::detect(),
        }
    }

    /// The same codec on another backend, for tests and measurements.
    #[must_use]
    pub fn with_shanda(mut self, shanda: Shanda) -> Self {
        self.shanda = shanda;
        self
    }

    /// What it was made for.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// The expanded key.
    pub fn schedule(&self) -> &KeySchedule {
        &self.schedule
    }

    /// Encodes packets that go `direction`, the first of them with `iv`.
    pub fn encoder(&self, direction: Direction, iv: Iv) -> Encoder {
        let shanda = self.profile.shanda.then_some(self.shanda);
        Encoder::new(&self.profile, direction, shanda, self.track(direction, iv))
    }

    /// Decodes packets that go `direction`, the first of them with `iv`.
    ///
    /// Accepts payloads from one opcode to 65,535 bytes, or to 1 MiB if the profile's headers
    /// can say so; see [`Decoder::accepting`].
    pub fn decoder(&self, direction: Direction, iv: Iv) -> Decoder {
        let shanda = self.profile.shanda.then_some(self.shanda);
        Decoder::new(&self.profile, direction, shanda, self.track(direction, iv))
    }

    fn track(&self, direction: Direction, iv: Iv) -> Track {
        Track::new(&self.profile, direction, self.schedule.clone(), iv)
    }
}

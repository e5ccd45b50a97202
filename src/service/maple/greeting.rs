//! The hello that we say to clients, with IVs that nobody can guess.

use crate::{
    buffer::Writer,
    maple::{Hello, HelloForm, Iv, IvPolicy, Profile, Release},
};

/// Bytes of the longest hello that is written here: a patch string of up to 16 bytes.
pub const LONGEST_HELLO: usize = 2 + 13 + Greeting::LONGEST_PATCH;

/// What a client is greeted with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Greeting {
    /// Who the client has to be.
    pub profile: Profile,
    /// The patch string of its version; for regions that tell a sub-version instead, that in
    /// decimal. At most [`Greeting::LONGEST_PATCH`] bytes.
    pub patch: String,
    /// How the first IVs are chosen.
    pub iv_policy: IvPolicy,
}

impl Greeting {
    /// The longest patch string.
    pub const LONGEST_PATCH: usize = 16;

    /// Writes a hello with fresh IVs to the front of `room`, [`LONGEST_HELLO`] bytes; gives the
    /// IVs to the server and to the client, and the hello's length.
    ///
    /// `None` if the system has no random bytes.
    pub fn write(&self, room: &mut [u8]) -> Option<(Iv, Iv, usize)> {
        let mut random = [0; 8];
        getrandom::fill(&mut random).ok()?;
        let (to_server, to_client) = self.iv_policy.choose(random);
        let mut writer = Writer::new(room);
        let hello = Hello {
            version: self.profile.version,
            release: self.release(),
            to_server,
            to_client,
            locale: self.profile.region.locale(),
            more: &[],
        };
        hello.write(&mut writer).ok()?;
        Some((to_server, to_client, writer.len()))
    }

    fn release(&self) -> Release<'_> {
        let sub = self.patch.parse().unwrap_or(0);
        match self.profile.hello {
            HelloForm::Patch => {
                let patch = self.patch.as_bytes();
                let len = patch.len().min(Self::LONGEST_PATCH);
                Release::Patch(patch.get(..len).unwrap_or_default())
            }
            HelloForm::Kms => Release::Kms(sub),
            HelloForm::Bare => Release::Bare,
            HelloForm::Ims => Release::Ims(sub),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::maple::Region;

    fn greeting(profile: Profile) -> Greeting {
        Greeting {
            profile,
            patch: "1".to_owned(),
            iv_policy: IvPolicy::Random,
        }
    }

    #[test]
    fn every_hello_is_read_back_and_none_is_the_same() {
        for profile in [
            Profile::GMS_83,
            Profile::find(Region::Kms, 95).unwrap(),
            Profile::find(Region::Vms, 35).unwrap(),
            Profile::find(Region::Ims, 1).unwrap(),
        ] {
            let greeting = greeting(profile);
            let mut rooms = [[0; LONGEST_HELLO]; 2];
            for room in &mut rooms {
                let (to_server, to_client, len) = greeting.write(room).unwrap();
                let parsed = Hello::parse(profile.hello, &room[..len]).unwrap();
                let (hello, taken) = parsed.unwrap();
                assert_eq!(taken, len);
                assert_eq!((hello.to_server, hello.to_client), (to_server, to_client));
                assert_eq!(hello.version, profile.version);
                assert_eq!(hello.locale, profile.region.locale());
            }
            assert_ne!(rooms[0], rooms[1]);
        }
    }

    #[test]
    fn the_one_of_version_83_has_sixteen_bytes() {
        let mut room = [0; LONGEST_HELLO];
        let (_, _, len) = greeting(Profile::GMS_83).write(&mut room).unwrap();
        assert_eq!(len, 16);
    }
}

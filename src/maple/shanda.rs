//! Stand-in for Shanda's backends: the scalar definition behind their interface.

/// The definition (maple.md 5).
pub mod scalar {
    /// Encrypts in place.
    pub fn encrypt(data: &mut [u8]) {
        let n = data.len();
        for _ in 0..3 {
            let mut a = 0_u8;
            for (i, byte) in data.iter_mut().enumerate() {
                let c = (n - i) as u8;
                a ^= byte.rotate_left(3).wrapping_add(c);
                *byte = 0x47_u8.wrapping_sub(a.rotate_right(u32::from(c) % 8));
            }
            let mut a = 0_u8;
            for (i, byte) in data.iter_mut().enumerate().rev() {
                let d = (i + 1) as u8;
                a ^= byte.rotate_left(4).wrapping_add(d);
                *byte = (a ^ 0x13).rotate_right(3);
            }
        }
    }

    /// Decrypts in place.
    pub fn decrypt(data: &mut [u8]) {
        let n = data.len();
        super::decrypt(data, n);
    }

    /// Decrypts the first bytes of a payload of `len` bytes in place and returns those that are
    /// plaintext: all but the last three, or all if nothing was cut.
    pub fn decrypt_prefix(data: &mut [u8], len: usize) -> &[u8] {
        super::decrypt(data, len);
        let cut = if data.len() < len { 3 } else { 0 };
        data.get(..data.len().saturating_sub(cut))
            .unwrap_or_default()
    }
}

fn decrypt(data: &mut [u8], n: usize) {
    for _ in 0..3 {
        let mut right = 0_u8;
        for (i, byte) in data.iter_mut().enumerate().rev() {
            let d = (i + 1) as u8;
            let t = byte.rotate_left(3) ^ 0x13;
            *byte = (t ^ right).wrapping_sub(d).rotate_right(4);
            right = t;
        }
        let mut left = 0_u8;
        for (i, byte) in data.iter_mut().enumerate() {
            let c = (n - i) as u8;
            let t = 0x47_u8.wrapping_sub(*byte).rotate_left(u32::from(c) % 8);
            *byte = (t ^ left).wrapping_sub(c).rotate_right(3);
            left = t;
        }
    }
}

/// The best backend of this machine.
#[derive(Clone, Copy, Debug)]
pub struct Shanda(());

impl Shanda {
    /// The best backend of this machine.
    pub fn detect() -> Self {
        Self(())
    }

    /// The scalar definition.
    pub fn scalar() -> Self {
        Self(())
    }

    /// The backend's name.
    pub fn name(self) -> &'static str {
        "scalar"
    }

    /// Every backend that runs here.
    pub fn all() -> Vec<Self> {
        vec![Self(())]
    }

    /// Encrypts in place.
    pub fn encrypt(self, data: &mut [u8]) {
        scalar::encrypt(data);
    }

    /// Decrypts in place.
    pub fn decrypt(self, data: &mut [u8]) {
        scalar::decrypt(data);
    }

    /// As [`scalar::decrypt_prefix`].
    pub fn decrypt_prefix(self, data: &mut [u8], len: usize) -> &[u8] {
        scalar::decrypt_prefix(data, len)
    }
}

//! Stores and loads without any check: what a buffer of the same shape could do at best.

#![allow(unsafe_code)]

use samara::minecraft::packets::play::serverbound::PositionLook;

/// Bytes of the frame.
pub(crate) const LEN: usize = 35;

/// A [`samara::buffer::ByteBuf`] without its promises.
#[repr(C)]
pub(crate) struct Raw<const N: usize> {
    pub(crate) read: usize,
    pub(crate) write: usize,
    pub(crate) bytes: [u8; N],
}

impl<const N: usize> Raw<N> {
    pub(crate) const fn new() -> Self {
        const { assert!(LEN <= N) };
        Self {
            read: 0,
            write: 0,
            bytes: [0; N],
        }
    }

    /// Writes the frame of `packet` at the start.
    #[inline]
    pub(crate) fn store(&mut self, packet: &PositionLook) {
        let start = self.bytes.as_mut_ptr();
        // SAFETY: `LEN` bytes are there, and the stores end with them: 2 + 3 * 8 + 2 * 4 + 1.
        unsafe {
            start.cast::<[u8; 2]>().write([34, 0x0E]);
            start.add(2).cast::<[u8; 8]>().write(packet.x.to_be_bytes());
            start
                .add(10)
                .cast::<[u8; 8]>()
                .write(packet.y.to_be_bytes());
            start
                .add(18)
                .cast::<[u8; 8]>()
                .write(packet.z.to_be_bytes());
            start
                .add(26)
                .cast::<[u8; 4]>()
                .write(packet.yaw.to_be_bytes());
            start
                .add(30)
                .cast::<[u8; 4]>()
                .write(packet.pitch.to_be_bytes());
            start.add(34).write(u8::from(packet.on_ground));
        }
        self.read = 0;
        self.write = LEN;
    }

    /// Reads the packet at the start.
    #[inline]
    pub(crate) fn load(&mut self) -> PositionLook {
        let start = self.bytes.as_ptr();
        self.read = LEN;
        // SAFETY: as in `store`; any bytes are such numbers.
        unsafe {
            PositionLook {
                x: f64::from_be_bytes(start.add(2).cast::<[u8; 8]>().read()),
                y: f64::from_be_bytes(start.add(10).cast::<[u8; 8]>().read()),
                z: f64::from_be_bytes(start.add(18).cast::<[u8; 8]>().read()),
                yaw: f32::from_be_bytes(start.add(26).cast::<[u8; 4]>().read()),
                pitch: f32::from_be_bytes(start.add(30).cast::<[u8; 4]>().read()),
                on_ground: start.add(34).read() != 0,
            }
        }
    }
}

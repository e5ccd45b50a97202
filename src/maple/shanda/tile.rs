//! The vectorised cipher, written once for every vector width.
//!
//! A payload is cut into tiles from its end, so that only the first, the head, may be short. The
//! [room](super) has the derivation.

#![forbid(unsafe_code)]

use super::{MASK, MINUEND, ROUNDS};

/// Joins two arrays of eight, element by element.
///
/// Not a closure, as none is compiled for the CPU features of the function it is called from; and
/// not a loop, as the compiler may leave it one.
macro_rules! join {
    ($a:expr, $b:expr, |$x:ident, $y:ident| $value:expr) => {{
        let [a0, a1, a2, a3, a4, a5, a6, a7] = $a;
        let [b0, b1, b2, b3, b4, b5, b6, b7] = $b;
        [
            join!(@ a0, b0, $x, $y, $value),
            join!(@ a1, b1, $x, $y, $value),
            join!(@ a2, b2, $x, $y, $value),
            join!(@ a3, b3, $x, $y, $value),
            join!(@ a4, b4, $x, $y, $value),
            join!(@ a5, b5, $x, $y, $value),
            join!(@ a6, b6, $x, $y, $value),
            join!(@ a7, b7, $x, $y, $value),
        ]
    }};
    (@ $a:ident, $b:ident, $x:ident, $y:ident, $value:expr) => {{
        let ($x, $y) = ($a, $b);
        $value
    }};
}

/// The number of each byte of a lane.
pub(super) const NUMBERS: [usize; 8] = [0, 1, 2, 3, 4, 5, 6, 7];

/// One byte of each lane of a tile, as a register of the CPU.
///
/// `[V; 8]` is a tile of `TILE` consecutive bytes, `TILE` a multiple of 64: byte `k` of lane `l`,
/// which is byte `8 * l + k` of the tile, is in lane `l` of vector `k`.
pub(super) trait Vector<const TILE: usize>: Copy {
    /// Proof that this CPU has the instructions.
    type Cpu: Copy;
    /// A choice of lanes.
    type Mask: Copy;

    /// Sets every lane to `byte`.
    fn splat(cpu: Self::Cpu, byte: u8) -> Self;
    /// Sets lane `l` to `8 * l`, modulo 256.
    fn offsets(cpu: Self::Cpu) -> Self;
    /// Chooses, for each byte of a lane, the lanes in which it is not one of the `missing` first
    /// bytes of a tile, less than `TILE`.
    fn present(cpu: Self::Cpu, missing: usize) -> [Self::Mask; 8];

    /// Reads a tile.
    fn gather(cpu: Self::Cpu, bytes: &[u8; TILE]) -> [Self; 8];
    /// Writes a tile.
    fn scatter(tile: [Self; 8], bytes: &mut [u8; TILE]);
    /// Reads a tile of which `bytes`, `TILE` at most, are the end; the others are zero.
    fn gather_end(cpu: Self::Cpu, bytes: &[u8]) -> [Self; 8];
    /// Writes the end of a tile.
    fn scatter_end(cpu: Self::Cpu, tile: [Self; 8], bytes: &mut [u8]);
    /// Reads vectors back that [`store`](Self::store) wrote.
    fn load(cpu: Self::Cpu, bytes: &[u8; TILE]) -> [Self; 8];
    /// Writes vectors as they are; the first byte is that of the first lane of the first.
    fn store(tile: [Self; 8], bytes: &mut [u8; TILE]);

    /// Takes the XOR, lane by lane.
    fn xor(self, other: Self) -> Self;
    /// Adds modulo 256, lane by lane.
    fn add(self, other: Self) -> Self;
    /// Subtracts modulo 256, lane by lane.
    fn sub(self, other: Self) -> Self;
    /// Rotates the byte of each lane left by `by` bits, less than eight.
    fn rotate(self, by: usize) -> Self;
    /// Sets the lanes that are not of `mask` to zero.
    fn keep(self, mask: Self::Mask) -> Self;
    /// Moves each byte one lane up; the last lane of `before` enters.
    fn shift_up(self, before: Self) -> Self;
    /// Moves each byte one lane down; the first lane of `after` enters.
    fn shift_down(self, after: Self) -> Self;
    /// Takes, per lane, the XOR of all lanes below it; and, in every lane, that of all.
    fn scan_up(self) -> (Self, Self);
    /// Takes, per lane, the XOR of all lanes above it; and, in every lane, that of all.
    fn scan_down(self) -> (Self, Self);
}

/// Encrypts a payload in place.
#[inline(always)]
pub(super) fn encrypt<V: Vector<TILE>, const TILE: usize>(cpu: V::Cpu, data: &mut [u8]) {
    let len = data.len();
    let Some((head, tiles)) = split::<TILE>(data) else {
        return;
    };
    let missing = TILE - head.len();
    let phases = Phases::<V, TILE>::new(cpu, len);
    let counters = phases.before(tiles.len());
    let present = V::present(cpu, missing);
    let start = V::splat(cpu, sum_of_missing(len, missing));
    let end = V::splat(cpu, MASK);

    let mut first = rotate_all(V::gather_end(cpu, head), 3);
    // A payload of one tile stays in registers, which the loops over tiles would not let it.
    if tiles.is_empty() {
        for round in 0..ROUNDS {
            first = encrypt_forward(cpu, first, counters, start).0;
            first = encrypt_backward(first, counters, end).0;
            if round + 1 < ROUNDS {
                first = join!(first, present, |v, mask| v.keep(mask));
            }
        }
    } else {
        for round in 0..ROUNDS {
            let mut carry;
            (first, carry) = encrypt_forward(cpu, first, counters, start);
            for (after, bytes) in (0..tiles.len()).rev().zip(tiles.iter_mut()) {
                let mut tile = enter(cpu, bytes, round);
                (tile, carry) = encrypt_forward(cpu, tile, phases.before(after), carry);
                V::store(tile, bytes);
            }
            carry = end;
            for (after, bytes) in tiles.iter_mut().rev().enumerate() {
                let mut tile = V::load(cpu, bytes);
                (tile, carry) = encrypt_backward(tile, phases.before(after), carry);
                leave(tile, bytes, round);
            }
            first = encrypt_backward(first, counters, carry).0;
            first = join!(first, present, |v, mask| v.keep(mask));
        }
    }
    V::scatter_end(cpu, rotate_all(first, 5), head);
}

/// Decrypts a payload in place.
#[inline(always)]
pub(super) fn decrypt<V: Vector<TILE>, const TILE: usize>(cpu: V::Cpu, data: &mut [u8]) {
    let len = data.len();
    let Some((head, tiles)) = split::<TILE>(data) else {
        return;
    };
    let phases = Phases::<V, TILE>::new(cpu, len);
    let counters = phases.before(tiles.len());
    let present = V::present(cpu, TILE - head.len());
    let start = V::splat(cpu, 0);
    let end = V::splat(cpu, MASK);

    let mut first = rotate_all(V::gather_end(cpu, head), 3);
    if tiles.is_empty() {
        for _ in 0..ROUNDS {
            first = decrypt_backward(cpu, first, counters, end);
            first = join!(first, present, |v, mask| v.keep(mask));
            first = decrypt_forward(first, counters, start).0;
        }
    } else {
        for round in 0..ROUNDS {
            first = decrypt_backward(cpu, first, counters, next(cpu, tiles, round));
            first = join!(first, present, |v, mask| v.keep(mask));
            let mut left;
            (first, left) = decrypt_forward(first, counters, start);
            let mut tiles = &mut *tiles;
            while let Some((bytes, rest)) = tiles.split_first_mut() {
                let counters = phases.before(rest.len());
                let mut tile = enter(cpu, bytes, round);
                tile = decrypt_backward(cpu, tile, counters, next(cpu, rest, round));
                (tile, left) = decrypt_forward(tile, counters, left);
                leave(tile, bytes, round);
                tiles = rest;
            }
        }
    }
    V::scatter_end(cpu, rotate_all(first, 5), head);
}

/// Splits a payload into its head, 1 to `TILE` bytes, and whole tiles; an empty one is `None`.
#[inline(always)]
fn split<const TILE: usize>(data: &mut [u8]) -> Option<(&mut [u8], &mut [[u8; TILE]])> {
    let last = data.len().checked_sub(1)?;
    let (head, tiles) = data.split_at_mut_checked(last % TILE + 1)?;
    Some((head, tiles.as_chunks_mut().0))
}

/// Reads a tile at the start of a round; in the first it is as it came.
#[inline(always)]
fn enter<V: Vector<TILE>, const TILE: usize>(
    cpu: V::Cpu,
    bytes: &[u8; TILE],
    round: usize,
) -> [V; 8] {
    if round == 0 {
        rotate_all(V::gather(cpu, bytes), 3)
    } else {
        V::load(cpu, bytes)
    }
}

/// Writes a tile at the end of a round; in the last as it shall go.
#[inline(always)]
fn leave<V: Vector<TILE>, const TILE: usize>(tile: [V; 8], bytes: &mut [u8; TILE], round: usize) {
    if round + 1 == ROUNDS {
        V::scatter(rotate_all(tile, 5), bytes);
    } else {
        V::store(tile, bytes);
    }
}

/// The byte that follows on a tile at the start of a round, in all lanes.
#[inline(always)]
fn next<V: Vector<TILE>, const TILE: usize>(cpu: V::Cpu, rest: &[[u8; TILE]], round: usize) -> V {
    let byte = match rest.as_flattened().first() {
        None => MASK,
        Some(byte) if round == 0 => byte.rotate_left(3),
        Some(&byte) => byte,
    };
    V::splat(cpu, byte)
}

/// What passes add to byte `k` of every lane, or subtract from it.
#[derive(Clone, Copy)]
struct Counters<V> {
    /// `c_i = n - i`.
    left: [V; 8],
    /// `d_i = i + 1`.
    index: [V; 8],
}

/// The counters of all tiles; as they count modulo 256, that many bytes hold all there are.
struct Phases<V, const TILE: usize>([Counters<V>; 4]);

impl<V: Vector<TILE>, const TILE: usize> Phases<V, TILE> {
    /// The counters of a payload of `len` bytes.
    #[inline(always)]
    fn new(cpu: V::Cpu, len: usize) -> Self {
        let beyond = V::splat(cpu, len.wrapping_add(1) as u8);
        let left = V::splat(cpu, TILE as u8).sub(V::offsets(cpu));
        let left = join!([left; 8], NUMBERS, |left, k| left
            .sub(V::splat(cpu, k as u8)));
        let counters = Counters {
            left,
            index: join!([beyond; 8], left, |n, c| n.sub(c)),
        };
        let mut phases = [counters; 4];
        for (phase, counters) in phases.iter_mut().enumerate() {
            let more = V::splat(cpu, (TILE * phase) as u8);
            counters.left = join!(counters.left, [more; 8], |c, more| c.add(more));
            counters.index = join!(counters.index, [more; 8], |d, more| d.sub(more));
        }
        Self(phases)
    }

    /// The counters of a tile that `after` others follow.
    #[inline(always)]
    fn before(&self, after: usize) -> &Counters<V> {
        let Self(phases) = self;
        if TILE.is_multiple_of(256) {
            // Known when compiled, so that the other phases are never made.
            &phases[0]
        } else {
            phases.get(after % 4).unwrap_or(&phases[0])
        }
    }
}

/// What the bytes missing before a payload of `len`, which are zero, add to the XOR of pass F:
/// their counters, `len + 1` to `len + missing`.
#[inline(always)]
fn sum_of_missing(len: usize, missing: usize) -> u8 {
    fn sum_to(last: usize) -> usize {
        match last % 4 {
            0 => last,
            1 => 1,
            2 => last.wrapping_add(1),
            _ => 0,
        }
    }
    (sum_to(len) ^ sum_to(len.wrapping_add(missing))) as u8
}

/// Pass F of encryption, with what surrounds it; `carry` is the XOR of all bytes before.
#[inline(always)]
fn encrypt_forward<V: Vector<TILE>, const TILE: usize>(
    cpu: V::Cpu,
    tile: [V; 8],
    counters: &Counters<V>,
    carry: V,
) -> ([V; 8], V) {
    let [a, b, c, d, e, f, g, h] = join!(tile, counters.left, |v, left| v.add(left));
    let b = a.xor(b);
    let c = b.xor(c);
    let d = c.xor(d);
    let e = d.xor(e);
    let f = e.xor(f);
    let g = f.xor(g);
    let h = g.xor(h);
    let (below, total) = h.scan_up();
    let before = carry.xor(below);
    let minuend = V::splat(cpu, MINUEND);
    let tile = join!([a, b, c, d, e, f, g, h], NUMBERS, |v, k| {
        minuend.sub(v.xor(before).rotate(k)).rotate(4)
    });
    (tile, carry.xor(total))
}

/// Pass B of encryption; `carry` is the XOR of all bytes behind.
#[inline(always)]
fn encrypt_backward<V: Vector<TILE>, const TILE: usize>(
    tile: [V; 8],
    counters: &Counters<V>,
    carry: V,
) -> ([V; 8], V) {
    let [a, b, c, d, e, f, g, h] = join!(tile, counters.index, |v, index| v.add(index));
    let g = g.xor(h);
    let f = f.xor(g);
    let e = e.xor(f);
    let d = d.xor(e);
    let c = c.xor(d);
    let b = b.xor(c);
    let a = a.xor(b);
    let (above, total) = a.scan_down();
    let behind = carry.xor(above);
    let tile = join!([a, b, c, d, e, f, g, h], [behind; 8], |v, behind| v
        .xor(behind));
    (tile, carry.xor(total))
}

/// Undoes pass B, up to the XOR of undoing F; `right` is the byte behind.
#[inline(always)]
fn decrypt_backward<V: Vector<TILE>, const TILE: usize>(
    cpu: V::Cpu,
    tile: [V; 8],
    counters: &Counters<V>,
    right: V,
) -> [V; 8] {
    let [a, b, c, d, e, f, g, h] = tile;
    let sums = join!(
        tile,
        [b, c, d, e, f, g, h, a.shift_down(right)],
        |v, right| v.xor(right)
    );
    let differences = join!(sums, counters.index, |v, index| v.sub(index));
    let minuend = V::splat(cpu, MINUEND);
    join!(differences, NUMBERS, |v, k| minuend
        .sub(v.rotate(4))
        .rotate((8 - k) % 8))
}

/// Undoes the rest of pass F; `left` is the byte before, and then the last of this tile.
#[inline(always)]
fn decrypt_forward<V: Vector<TILE>, const TILE: usize>(
    tile: [V; 8],
    counters: &Counters<V>,
    left: V,
) -> ([V; 8], V) {
    let [a, b, c, d, e, f, g, h] = tile;
    let sums = join!(tile, [h.shift_up(left), a, b, c, d, e, f, g], |v, left| v
        .xor(left));
    (join!(sums, counters.left, |v, left| v.sub(left)), h)
}

#[inline(always)]
fn rotate_all<V: Vector<TILE>, const TILE: usize>(tile: [V; 8], by: usize) -> [V; 8] {
    join!(tile, [by; 8], |v, by| v.rotate(by))
}

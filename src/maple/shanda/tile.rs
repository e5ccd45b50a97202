//! The vectorised cipher, written once for every vector width.
//!
//! See the [room](super) for the derivation and the meaning of each constant.

use super::{ADDEND, MASK, ROUNDS};

/// One byte of each of the lanes of a tile, as a register of the CPU.
///
/// A tile is `TILE` consecutive bytes cut in `TILE / 8` lanes of eight; `[V; 8]` holds it with
/// byte `k` of every lane in vector `k`. `TILE` is a multiple of 128.
pub(super) trait Vector<const TILE: usize>: Copy {
    /// Proof that this CPU has the instructions.
    type Cpu: Copy;
    /// A choice of lanes.
    type Mask: Copy;

    /// Sets every lane to `byte`.
    fn splat(cpu: Self::Cpu, byte: u8) -> Self;
    /// Sets lane `l` to `8 * l`, modulo 256.
    fn offsets(cpu: Self::Cpu) -> Self;
    /// Chooses the lanes from `first` on; none if `first` is their number.
    fn lanes_from(cpu: Self::Cpu, first: usize) -> Self::Mask;

    /// Reads the rows of a tile: row `j` is the 16 bytes at `16 * j` of each 128 bytes.
    fn load(cpu: Self::Cpu, bytes: &[u8; TILE]) -> [Self; 8];
    /// Writes the rows of a tile.
    fn store(rows: [Self; 8], bytes: &mut [u8; TILE]);
    /// Takes bytes alternately from `self` and `other`: of each sixteen the lower eight, the higher.
    fn interleave(self, other: Self) -> (Self, Self);

    fn xor(self, other: Self) -> Self;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    /// Rotates each byte left by `by` bits, 0 to 7.
    fn rotate(self, by: usize) -> Self;
    /// Takes the lanes of `mask` from `self`, the others from `other`.
    fn or_else(self, mask: Self::Mask, other: Self) -> Self;
    /// Moves each byte one lane up; the last lane of `before` enters.
    fn shift_up(self, before: Self) -> Self;
    /// Moves each byte one lane down; the first lane of `after` enters.
    fn shift_down(self, after: Self) -> Self;
    /// The XOR of all lower lanes, per lane, and the XOR of all lanes, in every lane.
    fn scan_up(self) -> (Self, Self);
    /// The XOR of all higher lanes, per lane, and the XOR of all lanes, in every lane.
    fn scan_down(self) -> (Self, Self);

    /// Reads a tile and transposes it.
    ///
    /// Row, byte and lane numbers are together the seven bits of an address; one riffle rotates
    /// that address left by one bit, so four carry the lane bits down and three carry them back.
    #[inline(always)]
    fn gather(cpu: Self::Cpu, bytes: &[u8; TILE]) -> [Self; 8] {
        riffle(riffle(riffle(riffle(Self::load(cpu, bytes)))))
    }

    /// Transposes a tile back and writes it.
    #[inline(always)]
    fn scatter(tile: [Self; 8], bytes: &mut [u8; TILE]) {
        Self::store(riffle(riffle(riffle(tile))), bytes);
    }

    /// Reads and transposes a tile of zeros with `bytes` at `offset`.
    #[inline(always)]
    fn gather_part(cpu: Self::Cpu, bytes: &[u8], offset: usize) -> [Self; 8] {
        let mut tile = [0; TILE];
        if let Some(part) = tile.get_mut(offset..offset + bytes.len()) {
            part.copy_from_slice(bytes);
        }
        Self::gather(cpu, &tile)
    }

    /// Transposes a tile back and writes its bytes from `offset` on to `bytes`.
    #[inline(always)]
    fn scatter_part(tile: [Self; 8], bytes: &mut [u8], offset: usize) {
        let mut whole = [0; TILE];
        Self::scatter(tile, &mut whole);
        if let Some(part) = whole.get(offset..offset + bytes.len()) {
            bytes.copy_from_slice(part);
        }
    }
}

/// The counters of a tile's bytes: element `k` belongs to byte `k` of every lane.
#[derive(Clone, Copy)]
struct Counters<V> {
    /// `c_i = n - i`.
    left: [V; 8],
    /// `d_i = i + 1`.
    index: [V; 8],
}

impl<V> Counters<V> {
    /// The counters of the tile of a payload of `len` bytes that ends `after` bytes before its end.
    #[inline(always)]
    fn new<const TILE: usize>(cpu: V::Cpu, len: usize, after: usize) -> Self
    where
        V: Vector<TILE>,
    {
        let first = V::splat(cpu, (TILE + after) as u8).sub(V::offsets(cpu));
        let beyond = V::splat(cpu, len.wrapping_add(1) as u8);
        let mut counters = Self { left: [first; 8], index: [first; 8] };
        for (k, (left, index)) in counters.left.iter_mut().zip(&mut counters.index).enumerate() {
            *left = first.sub(V::splat(cpu, k as u8));
            *index = beyond.sub(*left);
        }
        counters
    }

    /// The counters of the tiles an even and an odd number of tiles before the end: all there
    /// are, as they count modulo 256.
    #[inline(always)]
    fn of_payload<const TILE: usize>(cpu: V::Cpu, len: usize) -> [Self; 2]
    where
        V: Vector<TILE>,
    {
        let even = Self::new(cpu, len, 0);
        [even, if TILE.is_multiple_of(256) { even } else { Self::new(cpu, len, TILE) }]
    }
}

/// Encrypts a payload in place.
#[inline(always)]
pub(super) fn encrypt<V: Vector<TILE>, const TILE: usize>(cpu: V::Cpu, data: &mut [u8]) {
    let [even, odd] = Counters::<V>::of_payload(cpu, data.len());
    let Some(longest_rest) = data.len().checked_sub(1) else { return };
    let (head, rest) = data.split_at_mut(longest_rest % TILE + 1);
    let (tiles, _) = rest.as_chunks_mut::<TILE>();
    let head_counters = if tiles.len().is_multiple_of(2) { &even } else { &odd };
    let missing = TILE - head.len();
    let present = lanes_present::<V, TILE>(cpu, missing);

    let mut first = rotate_all(V::gather_part(cpu, head, missing), 3);
    for round in 0..ROUNDS {
        let mut carry = V::splat(cpu, 0xFF);
        for ((u, &counter), &mask) in first.iter_mut().zip(&head_counters.left).zip(&present) {
            *u = u.add(counter).or_else(mask, V::splat(cpu, 0));
        }
        first = forward(cpu, first, &mut carry);
        for (after, bytes) in (0..tiles.len()).rev().zip(tiles.iter_mut()) {
            let counters = if after.is_multiple_of(2) { &even } else { &odd };
            let tile = if round == 0 {
                rotate_all(V::gather(cpu, bytes), 3)
            } else {
                V::load(cpu, bytes)
            };
            let tile = forward(cpu, add_all(tile, &counters.left), &mut carry);
            V::store(tile, bytes);
        }

        let mut carry = V::splat(cpu, MASK);
        for (after, bytes) in tiles.iter_mut().rev().enumerate() {
            let counters = if after.is_multiple_of(2) { &even } else { &odd };
            let tile = add_all(V::load(cpu, bytes), &counters.index);
            let tile = backward(tile, &mut carry);
            if round + 1 == ROUNDS {
                V::scatter(rotate_all(tile, 5), bytes);
            } else {
                V::store(tile, bytes);
            }
        }
        first = backward(add_all(first, &head_counters.index), &mut carry);
    }
    V::scatter_part(rotate_all(first, 5), head, missing);
}

/// Decrypts a payload in place.
#[inline(always)]
pub(super) fn decrypt<V: Vector<TILE>, const TILE: usize>(cpu: V::Cpu, data: &mut [u8]) {
    let [even, odd] = Counters::<V>::of_payload(cpu, data.len());
    let Some(longest_rest) = data.len().checked_sub(1) else { return };
    let (head, rest) = data.split_at_mut(longest_rest % TILE + 1);
    let (tiles, _) = rest.as_chunks_mut::<TILE>();
    let head_counters = if tiles.len().is_multiple_of(2) { &even } else { &odd };
    let missing = TILE - head.len();
    let present = lanes_present::<V, TILE>(cpu, missing);
    let rotate_in = |round, byte: u8| if round == 0 { byte.rotate_left(3) } else { byte };

    let mut first = rotate_all(V::gather_part(cpu, head, missing), 3);
    for round in 0..ROUNDS {
        let right = tiles.first().map_or(MASK, |tile| rotate_in(round, tile[0]));
        first = unscan_backward(cpu, first, head_counters, V::splat(cpu, right));
        for (t, &mask) in first.iter_mut().zip(&present) {
            *t = t.or_else(mask, V::splat(cpu, 0xFF));
        }
        let mut left = V::splat(cpu, 0xFF);
        first = unscan_forward(first, head_counters, &mut left);

        let mut remaining = &mut *tiles;
        while let Some((bytes, rest)) = remaining.split_first_mut() {
            let counters = if rest.len().is_multiple_of(2) { &even } else { &odd };
            let right = rest.first().map_or(MASK, |tile| rotate_in(round, tile[0]));
            let tile = if round == 0 {
                rotate_all(V::gather(cpu, bytes), 3)
            } else {
                V::load(cpu, bytes)
            };
            let tile = unscan_backward(cpu, tile, counters, V::splat(cpu, right));
            let tile = unscan_forward(tile, counters, &mut left);
            if round + 1 == ROUNDS {
                V::scatter(rotate_all(tile, 5), bytes);
            } else {
                V::store(tile, bytes);
            }
            remaining = rest;
        }
    }
    V::scatter_part(rotate_all(first, 5), head, missing);
}

/// For each byte of the lanes, the lanes in which it is not one of the `missing` before the payload.
#[inline(always)]
fn lanes_present<V: Vector<TILE>, const TILE: usize>(cpu: V::Cpu, missing: usize) -> [V::Mask; 8] {
    let mut masks = [V::lanes_from(cpu, missing / 8); 8];
    for (k, mask) in masks.iter_mut().enumerate() {
        *mask = V::lanes_from(cpu, (missing + 7 - k) / 8);
    }
    masks
}

/// The scan of pass F and what follows it, up to the addition of pass B.
#[inline(always)]
fn forward<V: Vector<TILE>, const TILE: usize>(
    cpu: V::Cpu,
    mut tile: [V; 8],
    carry: &mut V,
) -> [V; 8] {
    let mut sum = V::splat(cpu, 0);
    for u in &mut tile {
        sum = sum.xor(*u);
        *u = sum;
    }
    let (below, total) = sum.scan_up();
    let base = carry.xor(below);
    *carry = carry.xor(total);
    let addend = V::splat(cpu, ADDEND.wrapping_add(1));
    for (k, u) in tile.iter_mut().enumerate() {
        *u = u.xor(base).rotate(k).add(addend).rotate(4);
    }
    tile
}

/// The scan of pass B.
#[inline(always)]
fn backward<V: Vector<TILE>, const TILE: usize>(mut tile: [V; 8], carry: &mut V) -> [V; 8] {
    let mut sum: Option<V> = None;
    for u in tile.iter_mut().rev() {
        *u = sum.map_or(*u, |sum| sum.xor(*u));
        sum = Some(*u);
    }
    let (above, total) = tile[0].scan_down();
    let base = carry.xor(above);
    *carry = carry.xor(total);
    for u in &mut tile {
        *u = u.xor(base);
    }
    tile
}

/// Pass B undone, and what precedes the XOR of undoing F; `right` is the next tile's first byte.
#[inline(always)]
fn unscan_backward<V: Vector<TILE>, const TILE: usize>(
    cpu: V::Cpu,
    mut tile: [V; 8],
    counters: &Counters<V>,
    right: V,
) -> [V; 8] {
    let beyond = tile[0].shift_down(right);
    let addend = V::splat(cpu, !ADDEND);
    let mut counters = counters.index.iter().enumerate();
    let [a, b, c, d, e, f, g, h] = tile;
    for ((t, right), (k, &counter)) in
        tile.iter_mut().zip([b, c, d, e, f, g, h, beyond]).zip(counters.by_ref())
    {
        *t = t.xor(right).sub(counter).rotate(4).add(addend).rotate((8 - k) % 8);
    }
    tile
}

/// The rest of undoing pass F; `left` is the last byte of the tile before, and then of this one.
#[inline(always)]
fn unscan_forward<V: Vector<TILE>, const TILE: usize>(
    tile: [V; 8],
    counters: &Counters<V>,
    left: &mut V,
) -> [V; 8] {
    let [a, b, c, d, e, f, g, h] = tile;
    let before = h.shift_up(*left);
    *left = h;
    let mut tile = tile;
    for ((t, left), &counter) in
        tile.iter_mut().zip([before, a, b, c, d, e, f, g]).zip(&counters.left)
    {
        *t = t.xor(left).sub(counter);
    }
    tile
}

#[inline(always)]
fn add_all<V: Vector<TILE>, const TILE: usize>(mut tile: [V; 8], addends: &[V; 8]) -> [V; 8] {
    for (v, &addend) in tile.iter_mut().zip(addends) {
        *v = v.add(addend);
    }
    tile
}

#[inline(always)]
fn rotate_all<V: Vector<TILE>, const TILE: usize>(mut tile: [V; 8], by: usize) -> [V; 8] {
    for v in &mut tile {
        *v = v.rotate(by);
    }
    tile
}

/// Interleaves the first half of the rows with the second.
#[inline(always)]
fn riffle<V: Vector<TILE>, const TILE: usize>([a, b, c, d, e, f, g, h]: [V; 8]) -> [V; 8] {
    let (p, q) = a.interleave(e);
    let (r, s) = b.interleave(f);
    let (t, u) = c.interleave(g);
    let (v, w) = d.interleave(h);
    [p, q, r, s, t, u, v, w]
}

//! The vectorised cipher for payloads of a few registers, which are too short for a tile.
//!
//! The bytes keep their order, one to a lane. So nothing needs to be transposed, but each register
//! scans on its own, and no two neighbours rotate by the same amount.

#![forbid(unsafe_code)]

use super::{MASK, MINUEND, ROUNDS, tile::Vector};

/// A register whose lanes hold `TILE / 8` consecutive bytes.
pub(super) trait Row<const TILE: usize>: Vector<TILE> {
    /// A rotation for each lane.
    type Rotation: Copy;

    /// Sets each lane to its number.
    fn numbers(cpu: Self::Cpu) -> Self;
    /// Chooses the first `count` lanes, or all.
    fn first(cpu: Self::Cpu, count: usize) -> Self::Mask;
    /// Reads the first bytes of `bytes`, or all; lanes without one are zero.
    fn read(cpu: Self::Cpu, bytes: &[u8]) -> Self;
    /// Writes as many lanes as `bytes` has room for, or all.
    fn write(self, bytes: &mut [u8]);
    /// Makes a rotation to the left by the three lowest bits of each lane.
    fn rotation(self) -> Self::Rotation;
    /// Rotates the byte of each lane.
    fn rotate_each(self, by: Self::Rotation) -> Self;
}

/// What depends on the place of a byte in a row.
#[derive(Clone, Copy)]
struct Place<R, M> {
    /// The lanes of the payload.
    present: M,
    /// `c_i = n - i`.
    left: R,
    /// `d_i = i + 1`.
    index: R,
}

#[inline(always)]
fn places<R: Row<TILE>, const TILE: usize, const N: usize>(
    cpu: R::Cpu,
    len: usize,
) -> [Place<R, R::Mask>; N] {
    let beyond = R::splat(cpu, len.wrapping_add(1) as u8);
    let next = R::numbers(cpu).add(R::splat(cpu, 1));
    let first = Place {
        present: R::first(cpu, len),
        left: beyond.sub(next),
        index: next,
    };
    let mut places = [first; N];
    for (r, place) in places.iter_mut().enumerate() {
        let before = r * TILE / 8;
        place.present = R::first(cpu, len.saturating_sub(before));
        place.index = next.add(R::splat(cpu, before as u8));
        place.left = beyond.sub(place.index);
    }
    places
}

/// Encrypts a payload of at most `N` rows in place.
#[inline(always)]
pub(super) fn encrypt<R: Row<TILE>, const TILE: usize, const N: usize>(
    cpu: R::Cpu,
    data: &mut [u8],
) {
    let places: [_; N] = places::<R, TILE, N>(cpu, data.len());
    // A row is a multiple of eight bytes, so this is the rotation of all.
    let right = R::splat(cpu, 0).sub(places[0].left).rotation();
    let minuend = R::splat(cpu, MINUEND);

    let mut rows = [R::splat(cpu, 0); N];
    for (row, bytes) in rows.iter_mut().zip(data.chunks(TILE / 8)) {
        *row = R::read(cpu, bytes).rotate(3);
    }
    for _ in 0..ROUNDS {
        let mut carry = R::splat(cpu, 0);
        for (row, place) in rows.iter_mut().zip(&places) {
            let sum = row.add(place.left);
            let (below, total) = sum.scan_up();
            let sum = sum.xor(below).xor(carry);
            *row = minuend.sub(sum.rotate_each(right)).rotate(4);
            carry = carry.xor(total);
        }
        let mut carry = R::splat(cpu, MASK);
        for (row, place) in rows.iter_mut().zip(&places).rev() {
            let sum = row.add(place.index).keep(place.present);
            let (above, total) = sum.scan_down();
            *row = sum.xor(above).xor(carry);
            carry = carry.xor(total);
        }
    }
    for (row, bytes) in rows.iter().zip(data.chunks_mut(TILE / 8)) {
        row.rotate(5).write(bytes);
    }
}

/// Decrypts a payload of at most `N` rows in place.
#[inline(always)]
pub(super) fn decrypt<R: Row<TILE>, const TILE: usize, const N: usize>(
    cpu: R::Cpu,
    data: &mut [u8],
) {
    let places: [_; N] = places::<R, TILE, N>(cpu, data.len());
    let left = places[0].left.rotation();
    let minuend = R::splat(cpu, MINUEND);
    let mask = R::splat(cpu, MASK);

    let mut rows = [R::splat(cpu, 0); N];
    for ((row, bytes), place) in rows.iter_mut().zip(data.chunks(TILE / 8)).zip(&places) {
        *row = R::read(cpu, bytes).rotate(3).xor(mask).keep(place.present);
    }
    for _ in 0..ROUNDS {
        let mut right = R::splat(cpu, 0);
        for (row, place) in rows.iter_mut().zip(&places).rev() {
            let sum = row.xor(row.shift_down(right)).sub(place.index);
            right = *row;
            *row = minuend.sub(sum.rotate(4)).rotate_each(left);
        }
        let mut before = R::splat(cpu, 0);
        for (row, place) in rows.iter_mut().zip(&places) {
            let sum = row.xor(row.shift_up(before)).sub(place.left);
            before = *row;
            *row = sum.xor(mask).keep(place.present);
        }
    }
    for (row, bytes) in rows.iter().zip(data.chunks_mut(TILE / 8)) {
        row.xor(mask).rotate(5).write(bytes);
    }
}

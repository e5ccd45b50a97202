//! Packets of many sessions at once: their keystreams run side by side (maple.md 3.1, 5.5).

#![forbid(unsafe_code)]

use super::{
    Decoder, EncodeError, Encoder, Iv, KeySchedule, Keystream, Layer, StartBlock,
    keystream::{BLOCK, MAX_BLOCKS, Row, blocks_needed, xor_chunks, xor_chunks_into},
    lanes::{Group, Input, Lane, WIDTH},
    shuffle::Shuffle,
    track::{Track, Way},
};
use arrayvec::ArrayVec;
use std::{cmp::Reverse, fmt};

/// One who gets a broadcast: a session with an encoder and a buffer of outgoing bytes.
pub trait Recipient {
    /// Its encoder.
    fn encoder(&mut self) -> &mut Encoder;

    /// Room for a frame of `frame_len` bytes at the end of what it is to be sent, beside its
    /// encoder; `None` if there is none, and then it is passed over.
    fn outlet(&mut self, frame_len: usize) -> Option<(&mut Encoder, &mut [u8])>;
}

impl Recipient for (&mut Encoder, &mut [u8]) {
    fn encoder(&mut self) -> &mut Encoder {
        self.0
    }

    fn outlet(&mut self, frame_len: usize) -> Option<(&mut Encoder, &mut [u8])> {
        let frame = self.1.get_mut(..frame_len)?;
        Some((self.0, frame))
    }
}

/// The workbench of packets that are made together; one per thread is enough.
///
/// Takes 24 kB and the longest broadcast, all of it in [`Lanes::new`]. Sessions with one key
/// that follow each other wait for each other, up to 64 of them; sixteen chains at a time run
/// side by side, those of one length together. Another key begins another run.
pub struct Lanes {
    bench: Bench,
    body: Box<[u8]>,
}

/// Packets that wait for each other.
const PENDING: usize = 64;

/// Where the keystreams wait of payloads that need them more than once.
struct Bench {
    rows: Box<[Row; WIDTH]>,
    shuffle: Shuffle,
}

impl Lanes {
    /// A workbench for broadcasts of up to `longest` bytes.
    pub fn new(longest: usize) -> Self {
        Self {
            bench: Bench {
                rows: Box::new([[[0; BLOCK]; MAX_BLOCKS]; WIDTH]),
                shuffle: Shuffle::detect(),
            },
            body: vec![0; longest].into(),
        }
    }

    /// Sends `payload` to all `recipients`: Shanda once, then a header and an XOR for each. Says
    /// how many got it.
    ///
    /// Fails before anything is changed if `payload` is longer than the workbench allows;
    /// recipients that have no room, or whose header cannot say the length, are passed over.
    pub fn seal_many<'a, R: Recipient + 'a>(
        &mut self,
        payload: &[u8],
        recipients: impl IntoIterator<Item = &'a mut R>,
    ) -> Result<usize, EncodeError> {
        let len = payload.len();
        let body = self.body.get_mut(..len).ok_or(EncodeError::TooLong)?;
        let mut scrambled = false;
        let mut batch = Batch::new();
        let mut sealed = 0;
        for recipient in recipients {
            let encoder = recipient.encoder();
            let Ok(header) = encoder.header(len) else {
                continue;
            };
            if let Some(shanda) = encoder.shanda().filter(|_| !scrambled) {
                body.copy_from_slice(payload);
                shanda.encrypt(body);
                scrambled = true;
            }
            let Some((encoder, frame)) = recipient.outlet(header.len() + len) else {
                continue;
            };
            let Some((room, place)) = frame
                .split_at_mut_checked(header.len())
                .filter(|(_, place)| place.len() == len)
            else {
                continue;
            };
            header.fill(room);
            let sources = Sources {
                plain: payload,
                scrambled: body,
            };
            let from = match encoder.shanda() {
                Some(_) => From::Scrambled,
                None => From::Plain,
            };
            batch.add(&mut self.bench, encoder, place, from, sources);
            sealed += 1;
        }
        let sources = Sources {
            plain: payload,
            scrambled: body,
        };
        batch.run(&mut self.bench, sources);
        Ok(sealed)
    }

    /// Encodes frames of many sessions, each as [`Encoder::encode`] would.
    ///
    /// Fails at the first that cannot be a frame: those before it are done, it and those after
    /// it are as they were.
    pub fn encode_each<'a>(
        &mut self,
        frames: impl IntoIterator<Item = (&'a mut Encoder, &'a mut [u8])>,
    ) -> Result<(), EncodeError> {
        let mut batch = Batch::new();
        let mut result = Ok(());
        for (encoder, frame) in frames {
            let made = encoder.split(frame).and_then(|(room, payload)| {
                encoder.header(payload.len())?.fill(room);
                Ok(payload)
            });
            match made {
                Ok(payload) => {
                    encoder.scramble(payload);
                    let here = Sources::default();
                    batch.add(&mut self.bench, encoder, payload, From::InPlace, here);
                }
                Err(error) => {
                    result = Err(error);
                    break;
                }
            }
        }
        batch.run(&mut self.bench, Sources::default());
        result
    }

    /// Makes all keystreams that the lookahead of these encoders allows.
    pub fn prefetch<'a>(&mut self, encoders: impl IntoIterator<Item = &'a mut Encoder>) {
        fill(encoders.into_iter().map(|encoder| &mut encoder.track));
    }

    /// Makes all keystreams that the lookahead of these decoders allows.
    pub fn prefetch_decoders<'a>(&mut self, decoders: impl IntoIterator<Item = &'a mut Decoder>) {
        fill(decoders.into_iter().map(|decoder| &mut decoder.track));
    }

    /// Makes the keystreams of `ivs`, `bytes` long at least, each into its place in `out`.
    pub fn keystreams(
        &mut self,
        schedule: &KeySchedule,
        start: StartBlock,
        ivs: &[Iv],
        bytes: usize,
        out: &mut [Keystream],
    ) {
        let blocks = bytes.div_ceil(BLOCK);
        let mut group = Group::new();
        for (&iv, out) in ivs.iter().zip(out) {
            group.push(schedule, out.lane(start.bytes(iv), blocks));
        }
        group.run();
    }
}

fn fill<'a>(tracks: impl Iterator<Item = &'a mut Track>) {
    let mut group = Group::new();
    for track in tracks {
        let (ahead, recipe) = track.ahead_mut();
        for lane in ahead.vacancies(recipe) {
            group.push(recipe.schedule, lane);
        }
    }
    group.run();
}

impl fmt::Debug for Lanes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lanes")
            .field("longest", &self.body.len())
            .finish_non_exhaustive()
    }
}

/// Where a payload comes from.
#[derive(Clone, Copy, Debug, Default)]
enum From {
    /// It is where it shall be encrypted.
    #[default]
    InPlace,
    /// It is the broadcast's, after Shanda.
    Scrambled,
    /// It is the broadcast's, before Shanda.
    Plain,
}

/// A broadcast's payload.
#[derive(Clone, Copy, Default)]
struct Sources<'s> {
    plain: &'s [u8],
    scrambled: &'s [u8],
}

/// Payloads that wait for a run.
struct Batch<'a> {
    schedule: Option<KeySchedule>,
    pending: ArrayVec<Pending<'a>, PENDING>,
}

struct Pending<'a> {
    out: &'a mut [u8],
    from: From,
    first_chunk: usize,
    blocks: usize,
    /// The start block as a number, which goes from register to memory.
    start: u128,
    /// Goes on to its next packet with the run.
    track: Option<&'a mut Track>,
}

impl<'a> Batch<'a> {
    fn new() -> Self {
        Self {
            schedule: None,
            pending: ArrayVec::new(),
        }
    }

    /// Takes a payload that Shanda is done with; it is encrypted into `out` now or by a later
    /// run, after which its encoder is at the next packet.
    fn add(
        &mut self,
        bench: &mut Bench,
        encoder: &'a mut Encoder,
        out: &'a mut [u8],
        from: From,
        sources: Sources<'_>,
    ) {
        let first_chunk = encoder.first_chunk(out.len());
        let blocks = blocks_needed(out.len(), first_chunk);
        let track = &mut encoder.track;
        if track.layer() != Layer::Aes || track.ahead().covers(blocks) {
            match from {
                From::InPlace => {}
                From::Scrambled => out.copy_from_slice(sources.scrambled),
                From::Plain => out.copy_from_slice(sources.plain),
            }
            return track.crypt(Way::Encrypt, first_chunk, out);
        }
        let schedule = track.schedule();
        let other = self.schedule.as_ref().is_some_and(|it| !it.same(schedule));
        if other || self.pending.is_full() {
            self.run(bench, sources);
        }
        self.schedule.get_or_insert_with(|| schedule.clone());
        self.pending.push(Pending {
            out,
            from,
            first_chunk,
            blocks,
            start: u128::from_le_bytes(track.start_block()),
            track: Some(track),
        });
    }

    fn run(&mut self, bench: &mut Bench, sources: Sources<'_>) {
        let Some(schedule) = self.schedule.take() else {
            return;
        };
        let pending = &mut self.pending;
        advance(bench.shuffle, pending);
        if !pending.is_sorted_by_key(|it| Reverse(it.blocks)) {
            pending.sort_unstable_by_key(|it| Reverse(it.blocks));
        }
        for group in pending.chunks_mut(WIDTH) {
            let chains = group.iter_mut().zip(bench.rows.iter_mut());
            let mut lanes: ArrayVec<Lane<'_>, WIDTH> =
                chains.map(|(it, row)| it.lane(sources, row)).collect();
            schedule.run(&mut lanes);
            drop(lanes);
            for (it, row) in group.iter_mut().zip(&*bench.rows) {
                it.finish(row, sources);
            }
        }
        pending.clear();
    }
}

/// Ends the current packet of all.
fn advance(shuffle: Shuffle, pending: &mut [Pending<'_>]) {
    let mut ivs = [Iv::FIXED; PENDING];
    for (iv, it) in ivs.iter_mut().zip(&*pending) {
        if let Some(track) = &it.track {
            *iv = track.iv();
        }
    }
    let ivs = ivs.get_mut(..pending.len()).unwrap_or_default();
    shuffle.advance(ivs);
    for (&mut after, it) in ivs.iter_mut().zip(pending) {
        if let Some(track) = it.track.take() {
            track.advance_shuffled(after);
        }
    }
}

impl Pending<'_> {
    /// Whether each block is needed once.
    fn is_one_chunk(&self) -> bool {
        self.out.len() <= self.first_chunk
    }

    /// The chain, straight to the payload or to the row where it can be had again.
    fn lane<'l>(&'l mut self, sources: Sources<'l>, row: &'l mut Row) -> Lane<'l> {
        if !self.is_one_chunk() {
            let row = row.get_mut(..self.blocks).unwrap_or_default();
            return Lane {
                starts: [self.start.to_le_bytes()],
                input: Input::Nothing,
                out: row.as_flattened_mut(),
            };
        }
        Lane {
            starts: [self.start.to_le_bytes()],
            input: match self.from {
                From::InPlace => Input::InPlace,
                From::Scrambled => Input::Bytes(sources.scrambled),
                From::Plain => Input::Bytes(sources.plain),
            },
            out: self.out,
        }
    }

    fn finish(&mut self, row: &Row, sources: Sources<'_>) {
        if self.is_one_chunk() {
            return;
        }
        let out = &mut *self.out;
        let keystream = row.get(..self.blocks).unwrap_or_default().as_flattened();
        let from = match self.from {
            From::InPlace => return xor_chunks(keystream, self.first_chunk, out),
            From::Scrambled => sources.scrambled,
            From::Plain => sources.plain,
        };
        xor_chunks_into(keystream, self.first_chunk, from, out);
    }
}

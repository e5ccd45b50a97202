//! Packets of many sessions at once: their keystreams run side by side (maple.md 3.1, 5.5).

#![forbid(unsafe_code)]

use super::{
    Decoder, EncodeError, Encoder, Iv, KeySchedule, Keystream, Layer, StartBlock,
    ahead::{Ahead, Recipe},
    keystream::{BLOCK, MAX_BLOCKS, blocks_needed, xor_chunks, xor_chunks_into},
    lanes::{Column, LANES, Row, Sink, Tile},
    shuffle::Shuffle,
    track::{Track, Way},
};
use std::{array, cmp::Reverse, fmt};

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
/// Takes 100 kB and the longest broadcast, all of it in [`Lanes::new`]. Sessions with one key
/// that follow each other share a run of up to 64 chains; another key begins another run.
pub struct Lanes {
    bench: Bench,
    body: Box<[u8]>,
}

/// Where chains run, and where the blocks wait of payloads that need them more than once.
struct Bench {
    tile: Box<Tile>,
    rows: Box<[Row]>,
    shuffle: Shuffle,
}

impl Lanes {
    /// A workbench for broadcasts of up to `longest` bytes.
    pub fn new(longest: usize) -> Self {
        Self {
            bench: Bench {
                tile: Box::new(Tile::new()),
                rows: vec![[[0; BLOCK]; MAX_BLOCKS]; LANES].into(),
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
        self.fill(encoders.into_iter().map(|encoder| &mut encoder.track));
    }

    /// Makes all keystreams that the lookahead of these decoders allows.
    pub fn prefetch_decoders<'a>(&mut self, decoders: impl IntoIterator<Item = &'a mut Decoder>) {
        self.fill(decoders.into_iter().map(|decoder| &mut decoder.track));
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
        let need = bytes.div_ceil(BLOCK).min(MAX_BLOCKS);
        for (ivs, out) in ivs.chunks(LANES).zip(out.chunks_mut(LANES)) {
            let mut starts = [[0; BLOCK]; LANES];
            for (place, &iv) in starts.iter_mut().zip(ivs) {
                *place = start.bytes(iv);
            }
            let lanes = ivs.len().min(out.len());
            let starts = starts.get(..lanes).unwrap_or_default();
            let mut sink = Keystreams { out };
            let tile = &mut self.bench.tile;
            tile.run(schedule, starts, &[need; LANES], &mut sink);
            for (keystream, &start) in sink.out.iter_mut().zip(starts) {
                keystream.begin(start);
                keystream.end(need);
            }
        }
    }

    fn fill<'a>(&mut self, tracks: impl Iterator<Item = &'a mut Track>) {
        let mut batch = Filling::new();
        for track in tracks {
            let (ahead, recipe) = track.ahead_mut();
            let mut waiting = Some(ahead);
            while let Some(ahead) = waiting.take() {
                if ahead.vacant() > 0 {
                    waiting = batch.add(&mut self.bench.tile, ahead, recipe);
                }
            }
        }
        batch.run(&mut self.bench.tile);
    }
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
    pending: [Pending<'a>; LANES],
    len: usize,
}

#[derive(Default)]
struct Pending<'a> {
    out: &'a mut [u8],
    from: From,
    first_chunk: usize,
    blocks: usize,
    start: [u8; BLOCK],
    /// Goes on to its next packet with the run.
    track: Option<&'a mut Track>,
}

impl<'a> Batch<'a> {
    fn new() -> Self {
        Self {
            schedule: None,
            pending: array::from_fn(|_| Pending::default()),
            len: 0,
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
        if other || self.len == LANES {
            self.run(bench, sources);
        }
        self.schedule.get_or_insert_with(|| schedule.clone());
        if let Some(place) = self.pending.get_mut(self.len) {
            *place = Pending {
                out,
                from,
                first_chunk,
                blocks,
                start: track.start_block(),
                track: Some(track),
            };
        }
        self.len += 1;
    }

    fn run(&mut self, bench: &mut Bench, sources: Sources<'_>) {
        let Some(schedule) = self.schedule.take() else {
            return;
        };
        let len = std::mem::take(&mut self.len);
        let pending = self.pending.get_mut(..len).unwrap_or_default();
        advance(bench.shuffle, pending);
        if !pending.is_sorted_by_key(|it| Reverse(it.blocks)) {
            pending.sort_unstable_by_key(|it| Reverse(it.blocks));
        }
        let mut starts = [[0; BLOCK]; LANES];
        let mut blocks = [0; LANES];
        for ((start, need), it) in starts.iter_mut().zip(&mut blocks).zip(&*pending) {
            (*start, *need) = (it.start, it.blocks);
        }
        let starts = starts.get(..len).unwrap_or_default();
        let rows = &mut bench.rows;
        let mut sink = Sealing {
            pending,
            rows,
            sources,
        };
        bench.tile.run(&schedule, starts, &blocks, &mut sink);
        for (it, row) in sink.pending.iter_mut().zip(&*sink.rows) {
            it.finish(row, sources);
        }
    }
}

/// Ends the current packet of all.
fn advance(shuffle: Shuffle, pending: &mut [Pending<'_>]) {
    let mut ivs = [Iv::FIXED; LANES];
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

    #[inline(always)]
    fn take(&mut self, at: usize, column: Column<'_>, sources: Sources<'_>) {
        let at = at * BLOCK;
        let out = self.out.get_mut(at..).unwrap_or_default();
        let from = match self.from {
            From::InPlace => return column.xor(out),
            From::Scrambled => sources.scrambled,
            From::Plain => sources.plain,
        };
        column.xor_into(from.get(at..).unwrap_or_default(), out);
    }

    fn finish(&mut self, row: &Row, sources: Sources<'_>) {
        let out = std::mem::take(&mut self.out);
        if out.len() <= self.first_chunk {
            return;
        }
        let keystream = row.get(..self.blocks).unwrap_or_default().as_flattened();
        let from = match self.from {
            From::InPlace => return xor_chunks(keystream, self.first_chunk, out),
            From::Scrambled => sources.scrambled,
            From::Plain => sources.plain,
        };
        xor_chunks_into(keystream, self.first_chunk, from, out);
    }
}

/// Puts blocks to their payload's bytes, or into a row if they are needed again.
struct Sealing<'p, 'a> {
    pending: &'p mut [Pending<'a>],
    rows: &'p mut [Row],
    sources: Sources<'p>,
}

impl Sink for Sealing<'_, '_> {
    #[inline(always)]
    fn take(&mut self, lane: usize, at: usize, column: Column<'_>) {
        let Some(it) = self.pending.get_mut(lane) else {
            return;
        };
        if it.is_one_chunk() {
            it.take(at, column, self.sources);
        } else {
            let row = self.rows.get_mut(lane).and_then(|row| row.get_mut(at..));
            column.copy_to(row.unwrap_or_default());
        }
    }
}

struct Keystreams<'a> {
    out: &'a mut [Keystream],
}

impl Sink for Keystreams<'_> {
    #[inline(always)]
    fn take(&mut self, lane: usize, at: usize, column: Column<'_>) {
        let keystream = self.out.get_mut(lane);
        let places = keystream.and_then(|it| it.blocks.get_mut(at..));
        column.copy_to(places.unwrap_or_default());
    }
}

/// Lookaheads whose vacant slots wait for a run.
struct Filling<'a> {
    recipe: Option<Recipe<'a>>,
    blocks: usize,
    starts: [[u8; BLOCK]; LANES],
    /// Whose lane it is, and which of its slots.
    lanes: [(usize, usize); LANES],
    len: usize,
    aheads: [Option<(&'a mut Ahead, usize)>; LANES],
    sessions: usize,
}

impl<'a> Filling<'a> {
    fn new() -> Self {
        Self {
            recipe: None,
            blocks: 0,
            starts: [[0; BLOCK]; LANES],
            lanes: [(0, 0); LANES],
            len: 0,
            aheads: [const { None }; LANES],
            sessions: 0,
        }
    }

    /// Takes as many vacant slots of `ahead` as there are lanes left; gives it back if some
    /// remain.
    fn add(
        &mut self,
        tile: &mut Tile,
        ahead: &'a mut Ahead,
        recipe: Recipe<'a>,
    ) -> Option<&'a mut Ahead> {
        let fits = self
            .recipe
            .is_none_or(|it| it.schedule.same(recipe.schedule) && self.blocks == ahead.blocks());
        if !fits || self.len == LANES {
            self.run(tile);
        }
        self.recipe = Some(recipe);
        self.blocks = ahead.blocks();
        let first = ahead.ready();
        let free = self.starts.get_mut(self.len..).unwrap_or_default();
        let taken = ahead.reserve(recipe, free);
        let lanes = self.lanes.iter_mut().skip(self.len);
        for (lane, slot) in lanes.zip(first..first + taken) {
            *lane = (self.sessions, slot);
        }
        self.len += taken;
        let more = ahead.vacant() > 0;
        if let Some(place) = self.aheads.get_mut(self.sessions) {
            *place = Some((ahead, first));
        }
        self.sessions += 1;
        if !more {
            return None;
        }
        self.run(tile)
    }

    /// Runs what waits, and gives back the session that was added last.
    fn run(&mut self, tile: &mut Tile) -> Option<&'a mut Ahead> {
        let recipe = self.recipe.take()?;
        let starts = self.starts.get(..self.len).unwrap_or_default();
        let mut sink = Slots {
            lanes: &self.lanes,
            aheads: &mut self.aheads,
        };
        tile.run(recipe.schedule, starts, &[self.blocks; LANES], &mut sink);
        let mut last = None;
        for (ahead, first) in self.aheads.iter_mut().map_while(Option::take) {
            ahead.finish(first);
            last = Some(ahead);
        }
        self.len = 0;
        self.sessions = 0;
        last
    }
}

struct Slots<'s, 'a> {
    lanes: &'s [(usize, usize); LANES],
    aheads: &'s mut [Option<(&'a mut Ahead, usize)>; LANES],
}

impl Sink for Slots<'_, '_> {
    #[inline(always)]
    fn take(&mut self, lane: usize, at: usize, column: Column<'_>) {
        let (session, slot) = self.lanes.get(lane).copied().unwrap_or_default();
        if let Some(Some((ahead, _))) = self.aheads.get_mut(session) {
            ahead.take(slot, at, column);
        }
    }
}

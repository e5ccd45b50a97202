//! Holds the Maple codec to allocating nothing once its parts are made.
//!
//! The test is one function: the count is one, too, and every thread of the harness that does
//! not say otherwise is in it.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

#[path = "../tools/allocs/counting.rs"]
#[expect(dead_code, reason = "the tool uses more of it")]
mod counting;

use counting::Counting;
use samara::{
    buffer::{Reader, Writer},
    maple::{
        Charset, Codec, Decoded, Direction, Encoder, IvPolicy, KeystreamCache, Lanes, Lookahead,
        PacketPool, Profile, ReadMaple, StartBlock, WriteMaple,
    },
};

#[global_allocator]
static COUNTING: Counting = Counting;

/// What `work` asks of the heap.
fn allocations(work: impl FnOnce()) -> u64 {
    let before = counting::of_the_server().allocations;
    counting::as_server(work);
    counting::of_the_server().allocations - before
}

const SIZES: [usize; 6] = [0, 32, 128, 512, 1460, 8192];

#[test]
fn nothing_is_allocated() {
    counting::drive();
    the_count_can_fail();
    encoding_and_decoding_allocate_nothing();
    lanes_allocate_nothing();
    packets_allocate_nothing();
}

fn the_count_can_fail() {
    assert_eq!(allocations(|| drop(std::hint::black_box(Box::new(7)))), 1);
}

fn encoding_and_decoding_allocate_nothing() {
    let codec = Codec::new(Profile::GMS_83);
    let (_, iv) = IvPolicy::Classic.choose([1; 8]);
    let few = Lookahead {
        packets: 5,
        bytes: 600,
    };
    let mut cache = KeystreamCache::new(codec.schedule().clone(), StartBlock::Standard, 16, 1472);
    let mut frame = vec![0; 4 + 8192];
    for ahead in [Lookahead::OFF, few] {
        let mut encoder = codec.encoder(Direction::ToClient, iv).looking_ahead(ahead);
        let decoder = codec.decoder(Direction::ToClient, iv).accepting(0..=65_535);
        let mut decoder = decoder.looking_ahead(ahead);
        let work = || {
            for len in SIZES.into_iter().cycle().take(60) {
                encoder.prefetch();
                let frame = &mut frame[..4 + len];
                encoder.encode(frame).unwrap();
                decoder.peek_opcode(frame).unwrap();
                let decoded = decoder.decode(frame).unwrap();
                assert!(matches!(decoded, Decoded::Packet { .. }));
                encoder.encode_cached(frame, &mut cache).unwrap();
                decoder.decode_cached(frame, &mut cache).unwrap();
            }
        };
        assert_eq!(allocations(work), 0);
    }
}

fn lanes_allocate_nothing() {
    let codec = Codec::new(Profile::GMS_83);
    let ahead = Lookahead {
        packets: 3,
        bytes: 200,
    };
    let session = |at: u8| {
        let (_, iv) = IvPolicy::Classic.choose([at; 8]);
        let encoder = codec.encoder(Direction::ToClient, iv);
        (encoder.looking_ahead(ahead), vec![0; 4 + 8192])
    };
    let mut sessions: Vec<(Encoder, Vec<u8>)> = (0..150).map(session).collect();
    let mut relay_from = codec.decoder(Direction::ToServer, IvPolicy::Fixed.choose([0; 8]).0);
    let mut relay_to = codec.encoder(Direction::ToServer, IvPolicy::Classic.choose([0; 8]).0);
    let mut sender = codec.encoder(Direction::ToServer, IvPolicy::Fixed.choose([0; 8]).0);
    let mut lanes = Lanes::new(8192);
    let payload = vec![7; 8192];
    let work = || {
        for len in SIZES {
            lanes.prefetch(sessions.iter_mut().map(|(encoder, _)| encoder));
            let mut recipients = sessions
                .iter_mut()
                .map(|(encoder, queue)| Session { encoder, queue });
            for _ in 0..5 {
                let mut all: [Option<Session<'_>>; 150] =
                    std::array::from_fn(|_| recipients.next());
                let all = all.iter_mut().flatten();
                lanes.seal_many(&payload[..len], all).unwrap();
            }
            let jobs = sessions
                .iter_mut()
                .map(|(encoder, queue)| (encoder, &mut queue[..4 + len]));
            lanes.encode_each(jobs).unwrap();
            let frame = &mut sessions[0].1[..4 + len.max(2)];
            sender.encode(frame).unwrap();
            relay_from.relay(&mut relay_to, frame).unwrap();
        }
    };
    assert_eq!(allocations(work), 0);
}

struct Session<'a> {
    encoder: &'a mut Encoder,
    queue: &'a mut [u8],
}

impl samara::maple::Recipient for Session<'_> {
    fn encoder(&mut self) -> &mut Encoder {
        self.encoder
    }

    fn outlet(&mut self, frame_len: usize) -> Option<(&mut Encoder, &mut [u8])> {
        let frame = self.queue.get_mut(..frame_len)?;
        Some((self.encoder, frame))
    }
}

fn packets_allocate_nothing() {
    let pool = PacketPool::new(&[(2, 64), (2, 9000)]);
    let codec = Codec::new(Profile::GMS_83);
    let (_, iv) = IvPolicy::Random.choose([5; 8]);
    let mut encoder = codec.encoder(Direction::ToClient, iv);
    let mut work = || {
        for len in SIZES {
            let mut packet = pool.begin().unwrap();
            packet
                .write(|w: &mut Writer<'_>| {
                    w.string(Charset::Ms932, "\u{30E1}\u{30A4}")?;
                    w.zeros(len)
                })
                .unwrap();
            let mut reader = Reader::new(packet.payload());
            assert_eq!(reader.string().map(<[u8]>::len), Ok(4));
            packet.seal(&mut encoder).unwrap();
        }
    };
    // The pool makes its frames when they are first needed.
    work();
    assert_eq!(allocations(work), 0);
}

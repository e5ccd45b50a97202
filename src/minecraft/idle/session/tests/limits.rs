use super::*;
use proptest::prelude::*;

#[test]
fn a_client_too_slow_for_its_world_is_given_up() {
    let limits = Limits {
        live_bytes: 500,
        ..Limits::default()
    };
    let mut link = Link::new(limits);
    link.upstream(&join(0));
    link.session.attach(link.now, &mut link.zlib);
    let message = "x".repeat(200);
    let chat = Chat {
        message: Json::cut(&message),
        position: 0,
    };
    assert_eq!(link.upstream(&chat).0, Passage::Keep);
    assert_eq!(link.upstream(&chat).0, Passage::Keep);
    let lost = Passage::LoseClient(ClientLoss::TooSlow);
    assert_eq!(link.upstream(&chat).0, lost);
    assert!(!link.session.is_attached());
}

#[test]
fn what_is_beyond_the_limits_is_dropped_and_counted() {
    let limits = Limits {
        columns: 9,
        column_bytes: 5000,
        block_changes: 3,
        block_entities: 2,
        partial_frames: 2,
        entities: 5,
        ..Limits::default()
    };
    let mut link = Link::new(limits);
    link.upstream(&join(0));
    link.upstream(&position(8.0, 5.0, 8.0, 7));
    for x in 0..20 {
        link.upstream(&column(x, 0, true, 1, &[1; 100]));
    }
    let (columns, bytes, _) = link.session.size();
    assert_eq!((columns, link.session.dropped().columns), (9, 11));
    assert!(bytes < 9 * 130);
    for y in 0..5 {
        link.upstream(&block(0, y, 0, 1));
        link.upstream(&mob(y));
        link.upstream(&mob(y + 100));
        let location = Position { x: 1, y, z: 1 };
        link.upstream(&UpdateBlockEntity {
            location,
            action: 9,
            data: OptNbt(None),
        });
    }
    let dropped = link.session.dropped();
    assert_eq!((dropped.blocks, dropped.entities), (2 + 3, 5));
    for _ in 0..3 {
        link.upstream(&column(0, 0, false, 1, &[1; 10]));
    }
    assert_eq!(link.session.size().0, 8);
    let noise: Vec<u8> = (0..3000_u32)
        .map(|it| (it.wrapping_mul(2_654_435_761) >> 13) as u8)
        .collect();
    link.upstream(&column(3, 0, true, 1, &noise));
    link.upstream(&column(4, 0, true, 1, &noise));
    assert!(link.session.size().1 <= 5000);
    assert_eq!(link.session.dropped().unread, 0);
}

proptest! {
    /// Whatever columns come and go, their bytes are counted right and within the limits.
    #[test]
    fn bytes_of_columns_are_counted(
        steps in proptest::collection::vec((0..5_u8, 0..4_i32, 0..3_i32, 1..60_usize), 0..60),
    ) {
        let limits = Limits {
            columns: 6, column_bytes: 400, partial_frames: 2, block_entities: 3, ..Limits::default()
        };
        let mut link = Link::new(limits);
        link.upstream(&join(0));
        link.upstream(&position(8.0, 5.0, 8.0, 7));
        for (kind, x, z, len) in steps {
            let data = vec![7; len];
            match kind {
                0 | 1 => link.upstream(&column(x, z, true, 1, &data)),
                2 => link.upstream(&column(x, z, false, 1, &data)),
                3 => link.upstream(&UnloadChunk { chunk_x: x, chunk_z: z }),
                _ => {
                    let location = Position { x: 16 * x, y: len as i32, z: 16 * z };
                    let data = OptNbt(None);
                    link.upstream(&UpdateBlockEntity { location, action: 1, data })
                }
            };
            let (columns, bytes, _) = link.session.size();
            prop_assert!(columns <= 6 && bytes <= 400);
            let stream = link.attach();
            let world = link.world(&stream);
            let frames = world.iter().filter(|body| body[0] == 0x20);
            let frames: usize = frames.map(|body| body.len() + 2).sum();
            let kept = world.iter().filter(|body| body[0] == 0x09);
            let kept: usize = kept.map(Vec::len).sum();
            prop_assert_eq!(bytes, frames + kept);
            link.detach();
        }
    }
}

use super::*;

fn lcg(seed: u32, len: usize) -> Vec<u8> {
    let mut state = seed;
    (0..len)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        })
        .collect()
}

#[test]
fn every_backend_is_the_definition() {
    for shanda in Shanda::all() {
        for len in (0..=600).chain([1023, 1024, 1025, 1460, 8192, 65_535]) {
            let plain = lcg(len as u32, len);
            let mut expected = plain.clone();
            scalar::encrypt(&mut expected);
            let mut data = plain.clone();
            shanda.encrypt(&mut data);
            assert_eq!(data, expected, "{} encrypts {len} bytes", shanda.name());
            shanda.decrypt(&mut data);
            assert_eq!(data, plain, "{} decrypts {len} bytes", shanda.name());
        }
    }
}

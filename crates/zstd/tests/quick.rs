//! Quick.
use pzcomp_zstd::FrameDecoder;
#[test]
fn quick() {
    let mut data = Vec::new();
    let mut x = 1u64;
    for i in 0..300000u32 { x ^= x << 13; x ^= x >> 7; x ^= x << 17; data.extend_from_slice(format!("{} {} the\t", i / 7, x % 1000).as_bytes()); }
    let mut decoder = FrameDecoder::new();
    for level in [-5, -1, 1, 2, 3, 5, 9, 13, 16, 19] {
        for len in [0, 1, 10, 100, 1000, 10000, 131072, 200000, 1000000, data.len()] {
            let plain = &data[..len];
            let mut coded = Vec::with_capacity(zstd_safe::compress_bound(len));
            zstd_safe::compress(&mut coded, plain, level).unwrap();
            let mut out = vec![0; len];
            let r = decoder.decode(&coded, &mut out).unwrap_or_else(|e| panic!("{level} {len} {e}"));
            assert_eq!(r.coded_len, coded.len());
            assert!(out == plain, "{level} {len}");
        }
    }
}

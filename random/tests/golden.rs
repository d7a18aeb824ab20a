//! The bits of old: a change of any distribution's numbers is a change that users must be told of.

use spelt_core::Serial;
use spelt_random::{Draws, Random, permutation};

/// A number that changes with each bit of the draws of 1000 indices, and with the number of words that each takes.
fn fold(draw: impl Fn(&mut Draws) -> u64) -> u64 {
    let random = Random::new(2026).step(1 << 33 | 5);
    (0..1000_u64).fold(0, |sum, i| {
        let mut draws = random.at(i * i * i);
        let number = draw(&mut draws);
        [number, draws.u64()]
            .into_iter()
            .fold(sum, |sum, bits| (sum ^ bits).wrapping_mul(0x100_0000_01b3).rotate_left(29))
    })
}

#[test]
fn the_bits_are_those_of_old() {
    type Case = (&'static str, u64, fn(&mut Draws) -> u64);
    let cases: [Case; 15] = [
        ("u32", 0x26a4_2a50_67a1_12f2, |draws| draws.u32().into()),
        ("u64", 0xdd57_522c_1ccf_1fd9, |draws| draws.u64()),
        ("f32", 0x5813_d00b_8071_08fa, |draws| draws.f32().to_bits().into()),
        ("f64", 0x91a3_f826_d933_559c, |draws| draws.f64().to_bits()),
        ("chance", 0x5489_f632_d99b_e517, |draws| draws.chance(0.3).into()),
        ("range of u8", 0xd89d_06ac_b8a9_2ceb, |draws| draws.range(3..250_u8).into()),
        ("range of i64", 0xc16f_915a_23c7_72ca, |draws| draws.range(i64::MIN..i64::MAX / 3) as u64),
        ("range of f32", 0xb71b_3ad6_5b0b_2f3d, |draws| draws.range(-1.0..3.0_f32).to_bits().into()),
        ("range of f64", 0xc1eb_d93f_f340_0fde, |draws| draws.range(-1.0..3.0_f64).to_bits()),
        ("normal", 0x705e_c24f_e723_f8ac, |draws| draws.normal().to_bits()),
        ("exponential", 0xd0ab_e4aa_5fed_8509, |draws| draws.exponential().to_bits()),
        ("gamma", 0x828f_55c4_1df5_bbe7, |draws| draws.gamma(2.5).to_bits()),
        ("gamma of a small shape", 0x7450_79d6_423f_90a8, |draws| draws.gamma(0.25).to_bits()),
        ("Poisson of a small mean", 0x2bc7_8d71_13bc_658b, |draws| draws.poisson(3.5)),
        ("Poisson", 0x8d3d_3151_80f4_dc0b, |draws| draws.poisson(250.0)),
    ];
    let found = cases.map(|(name, _, draw)| (name, format!("{:#018x}", fold(draw))));
    assert_eq!(found, cases.map(|(name, wanted, _)| (name, format!("{wanted:#018x}"))));
}

#[test]
fn permutations_are_those_of_old() {
    let order = permutation(&Serial::new(), 12, Random::new(2026)).expect("memory").to_vec();
    assert_eq!(order, [1, 4, 7, 3, 0, 8, 2, 11, 5, 6, 10, 9]);
}

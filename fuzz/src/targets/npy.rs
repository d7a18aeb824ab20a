//! `.npy` files with a few wrong bytes or words: each is an error, or a View that is written and read again alike.

use fastrand::Rng;
use spelt::prelude::*;
use spelt::{Layout, NpyElement};

use super::Outcome;
use crate::mutate;

pub(crate) fn case(rng: &mut Rng) -> Outcome {
    let kind = rng.u8(..6);
    let mut file = file(rng, kind);
    if rng.bool() {
        mutate::bytes(rng, &mut file);
    } else {
        file = with_another_header(rng, &file);
    }
    // Now and then as something else.
    match if rng.u8(..4) == 0 { rng.u8(..6) } else { kind } {
        0 => read::<f32, 2, Right>(&file),
        1 => read::<f64, 2, Left>(&file),
        2 => read::<i16, 1, Right>(&file),
        3 => read::<u8, 3, Left>(&file),
        4 => read::<f64, 0, Right>(&file),
        _ => read::<i64, 3, Stride>(&file),
    }
}

/// A file that is right.
fn file(rng: &mut Rng, kind: u8) -> Vec<u8> {
    fn written<T: NpyElement, const R: usize, L: Layout>(rng: &mut Rng, value: fn(&mut Rng) -> T) -> Vec<u8> {
        let extents = core::array::from_fn(|_| rng.usize(..5));
        let view = View::<T, R, HostSpace, L>::from_fn_in(L::default(), "v", extents, |_| value(rng));
        let mut file = Vec::new();
        view.expect("small").write_npy_to(&mut file).expect("memory takes it");
        file
    }
    match kind {
        0 => written::<f32, 2, Left>(rng, |rng| f32::from_bits(rng.u32(..))),
        1 => written::<f64, 2, Right>(rng, |rng| f64::from_bits(rng.u64(..))),
        2 => written::<i16, 1, Right>(rng, |rng| rng.i16(..)),
        3 => written::<u8, 3, Right>(rng, |rng| rng.u8(..)),
        4 => written::<f64, 0, Right>(rng, |rng| rng.f64()),
        _ => written::<i64, 3, Left>(rng, |rng| rng.i64(..)),
    }
}

/// The file with words of its header changed, and the length of the header set right.
fn with_another_header(rng: &mut Rng, file: &[u8]) -> Vec<u8> {
    let length = usize::from(u16::from_le_bytes([file[8], file[9]]));
    let (header, elements) = file[10..].split_at(length);
    let header = mutate::text(rng, core::str::from_utf8(header).expect("ASCII"));
    let mut changed = file[..8].to_vec();
    changed.extend((header.len() as u16).to_le_bytes());
    changed.extend(header.as_bytes());
    changed.extend(elements);
    changed
}

fn read<T: NpyElement, const R: usize, L: Layout>(file: &[u8]) -> Outcome {
    let Ok(view) = View::<T, R, HostSpace, L>::read_npy_from("v", file) else { return Outcome::Refused };
    let mut first = Vec::new();
    view.write_npy_to(&mut first).expect("memory takes it");
    let again = View::<T, R, HostSpace, L>::read_npy_from("v", &first[..]).expect("it was just written");
    let mut second = Vec::new();
    again.write_npy_to(&mut second).expect("memory takes it");
    assert_eq!(view.extents(), again.extents());
    assert_eq!(first, second);
    Outcome::Accepted
}

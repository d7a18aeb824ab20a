//! One pass over a View: its hashes, and the first number that is not finite.

use spelt_access::Number;

use super::hash::Hash;
use crate::tools::contents::Unreadable;
use crate::tools::event::LaunchView;

/// The most blocks of a View that have their own hash.
const MAX_BLOCKS: usize = 64;

/// The largest contents that are kept as they are. Unit: bytes.
const KEPT: usize = 512;

/// The contents of a View after a launch, in short.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Digest {
    pub(super) numbers: Vec<Number>,
    /// The hash of the blocks' hashes.
    pub(super) hash: u64,
    /// The number of elements of each block, the last one excepted.
    pub(super) block_elements: usize,
    /// The hash of each block.
    pub(super) blocks: Vec<u64>,
    /// The contents, if they are small.
    pub(super) kept: Option<Vec<u8>>,
    pub(super) wrong: Wrong,
}

/// The numbers that are not finite.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Wrong {
    pub(super) nans: u64,
    pub(super) infinities: u64,
    /// The first: its element, counted in the order of the indices, its place within the element, and whether it is a NaN.
    pub(super) first: Option<(usize, usize, bool)>,
}

impl Digest {
    /// That of a View; `also` gets all bytes.
    pub(super) fn of(view: &LaunchView<'_>, also: &mut dyn FnMut(&[u8])) -> Result<Self, Unreadable> {
        let numbers = view.numbers()?;
        let mut pass = Pass::new(numbers, view.extents());
        view.read(|bytes| {
            pass.add(bytes);
            also(bytes);
        })?;
        Ok(pass.digest())
    }
}

struct Pass {
    /// Each number with its offset in an element and whether it is a float.
    floats: Vec<(usize, usize, Number)>,
    /// The size of an element. Unit: bytes.
    element: usize,
    /// The number of elements so far.
    elements: usize,
    block: Hash,
    digest: Digest,
}

impl Pass {
    fn new(numbers: Vec<Number>, extents: &[usize]) -> Self {
        let element: usize = numbers.iter().map(|number| number.bytes()).sum();
        let len = extents.iter().product::<usize>();
        let mut offset = 0;
        let mut floats = Vec::new();
        for (place, number) in numbers.iter().enumerate() {
            if exponent(*number).is_some() {
                floats.push((place, offset, *number));
            }
            offset += number.bytes();
        }
        let digest = Digest {
            numbers,
            hash: 0,
            block_elements: len.div_ceil(MAX_BLOCKS).max(1),
            blocks: Vec::new(),
            kept: (len.saturating_mul(element) <= KEPT).then(Vec::new),
            wrong: Wrong::default(),
        };
        Self { floats, element, elements: 0, block: Hash::default(), digest }
    }

    /// Adds whole elements.
    fn add(&mut self, mut bytes: &[u8]) {
        if let Some(kept) = &mut self.digest.kept {
            kept.extend_from_slice(bytes);
        }
        for (place, element) in bytes.chunks_exact(self.element).enumerate() {
            for (part, offset, number) in &self.floats {
                let is_nan = match not_finite(*number, &element[*offset..]) {
                    None => continue,
                    Some(is_nan) => is_nan,
                };
                let wrong = &mut self.digest.wrong;
                *if is_nan { &mut wrong.nans } else { &mut wrong.infinities } += 1;
                wrong.first.get_or_insert((self.elements + place, *part, is_nan));
            }
        }
        while !bytes.is_empty() {
            let room = self.digest.block_elements - self.elements % self.digest.block_elements;
            let (now, later) = bytes.split_at(bytes.len().min(room * self.element));
            self.block.add(now);
            self.elements += now.len() / self.element;
            if self.elements.is_multiple_of(self.digest.block_elements) {
                self.end_block();
            }
            bytes = later;
        }
    }

    fn end_block(&mut self) {
        self.digest.blocks.push(core::mem::take(&mut self.block).value());
    }

    fn digest(mut self) -> Digest {
        if !self.elements.is_multiple_of(self.digest.block_elements) {
            self.end_block();
        }
        let mut hash = Hash::default();
        self.digest.blocks.iter().for_each(|block| hash.add(&block.to_le_bytes()));
        self.digest.hash = hash.value();
        self.digest
    }
}

/// The bits of a float's exponent, all of them set where it is not finite, and those of the fraction.
const fn exponent(number: Number) -> Option<(u64, u64)> {
    match number {
        Number::F16 => Some((0x7c00, 0x03ff)),
        Number::Bf16 => Some((0x7f80, 0x007f)),
        Number::F32 => Some((0x7f80_0000, 0x007f_ffff)),
        Number::F64 => Some((0x7ff0_0000_0000_0000, 0x000f_ffff_ffff_ffff)),
        _ => None,
    }
}

/// Whether the float that the bytes begin with is a NaN, if it is not finite.
fn not_finite(number: Number, bytes: &[u8]) -> Option<bool> {
    let (exponent, fraction) = exponent(number)?;
    let mut word = [0; 8];
    let size = number.bytes();
    if cfg!(target_endian = "little") {
        word[..size].copy_from_slice(&bytes[..size]);
    } else {
        word[8 - size..].copy_from_slice(&bytes[..size]);
    }
    let bits = u64::from_ne_bytes(word);
    (bits & exponent == exponent).then_some(bits & fraction != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(numbers: &[Number], extents: &[usize], bytes: &[u8], slice: usize) -> Digest {
        let mut pass = Pass::new(numbers.to_vec(), extents);
        bytes.chunks(slice).for_each(|bytes| pass.add(bytes));
        pass.digest()
    }

    #[test]
    fn blocks_do_not_depend_on_slices() {
        let bytes: Vec<u8> = (0..3 * 1000).map(|i: usize| (i * i) as u8).collect();
        let numbers = [Number::U8, Number::U8, Number::I8];
        let whole = digest(&numbers, &[10, 100], &bytes, 3000);
        assert_eq!((whole.blocks.len(), whole.block_elements), (63, 16));
        for elements in [1, 7, 16, 17, 999] {
            assert_eq!(digest(&numbers, &[10, 100], &bytes, 3 * elements), whole, "{elements}");
        }
        let mut other = bytes.clone();
        other[3 * 16 * 5] ^= 1;
        let other = digest(&numbers, &[10, 100], &other, 3000);
        let differing: Vec<_> = (0..63).filter(|i| other.blocks[*i] != whole.blocks[*i]).collect();
        assert_eq!(differing, [5]);
        assert_ne!(other.hash, whole.hash);
    }

    #[test]
    fn small_contents_are_kept() {
        let bytes = [1; KEPT + 1];
        assert_eq!(digest(&[Number::U8], &[KEPT], &bytes[1..], 100).kept.as_deref(), Some(&bytes[1..]));
        assert_eq!(digest(&[Number::U8], &[KEPT + 1], &bytes, 100).kept, None);
        let none = digest(&[Number::F64], &[3, 0], &[], 8);
        assert_eq!((none.blocks.len(), none.kept), (0, Some(vec![])));
    }

    #[test]
    fn floats_that_are_not_finite() {
        let f64s = [1.0, f64::MAX, f64::NEG_INFINITY, -f64::NAN, f64::INFINITY];
        let bytes: Vec<u8> = f64s.iter().flat_map(|x| x.to_ne_bytes()).collect();
        let wrong = digest(&[Number::F64], &[5], &bytes, 16).wrong;
        assert_eq!(wrong, Wrong { nans: 1, infinities: 2, first: Some((2, 0, false)) });
        let pairs: Vec<u8> =
            [0_u32, f32::NAN.to_bits(), u32::MAX, 0].iter().flat_map(|x| x.to_ne_bytes()).collect();
        let wrong = digest(&[Number::U32, Number::F32], &[2], &pairs, 8).wrong;
        assert_eq!(wrong, Wrong { nans: 1, infinities: 0, first: Some((0, 1, true)) });
        for (number, finite, infinite, nan) in
            [(Number::F16, 0x7bff_u16, 0xfc00_u16, 0x7c01_u16), (Number::Bf16, 0x7f7f, 0xff80, 0x7f81)]
        {
            assert_eq!(not_finite(number, &finite.to_ne_bytes()), None);
            assert_eq!(not_finite(number, &infinite.to_ne_bytes()), Some(false));
            assert_eq!(not_finite(number, &nan.to_ne_bytes()), Some(true));
        }
        assert_eq!(not_finite(Number::U64, &[0xff; 8]), None);
    }
}

//! The memory of a sort on the host: all of its Views in one block.
//!
//! glibc returns the free end of its heap to the system where it is longer than twice the longest block that was freed before. The Views of
//! a sort, allocated one by one, are longer together, so that each call faulted in all of their pages again. As one block they are most of
//! the memory that a call uses, and stay in the heap for the next one. Nothing is kept here: the block is freed at the end of each call.

use spelt_core::{Element, ExecutionSpace, MemorySpace, Result, View, deep_copy};

/// Parts of the block begin at a multiple of this, as Views do. Unit: bytes.
const ALIGNMENT: usize = 64;

/// The block of a sort with spare pairs is longer by this. Unit: bytes. Source: glibc lengthens the heap by so much more than is requested
/// (`M_TOP_PAD`), which counts as free memory at its end.
const PAD: usize = 128 << 10;

/// The Views of a sort, which begin as zeros.
pub(super) struct Memory<K: Element, V: Element, M: MemorySpace> {
    /// For the keys and values to move into.
    pub(super) spare_keys: View<K, 1, M>,
    pub(super) spare_values: View<V, 1, M>,
    /// A row for each worker.
    pub(super) scratch_keys: View<K, 2, M>,
    pub(super) scratch_values: View<V, 2, M>,
    /// The bucket of each prefix.
    pub(super) map: View<u16, 1, M>,
    /// The next place of each block and bucket.
    pub(super) places: View<usize, 2, M>,
    /// The memory of all. It is the last field, so it is freed after them.
    _block: View<u8, 1, M>,
}

impl<K: Element, V: Element, M: MemorySpace> Memory<K, V, M> {
    /// Memory of the host for `spare` pairs, rows of scratch with the extents `scratch`, and copies of `map` and `places`.
    ///
    /// # Errors
    /// As [`ExecutionSpace::zeros`].
    pub(super) fn new<S: ExecutionSpace<Memory = M>>(
        space: &S,
        spare: usize,
        scratch: [usize; 2],
        map: &View<u16, 1>,
        places: &View<usize, 2>,
    ) -> Result<Self> {
        let cells = scratch[0].saturating_mul(scratch[1]);
        let parts = [
            bytes_of::<K>(spare),
            bytes_of::<V>(spare),
            bytes_of::<K>(cells),
            bytes_of::<V>(cells),
            bytes_of::<u16>(map.len()),
            bytes_of::<usize>(places.len()),
            if spare > 0 { PAD } else { 0 },
        ];
        let mut block =
            space.zeros::<u8, 1>("sort: memory", [parts.into_iter().fold(0, usize::saturating_add)])?;
        let mut rest = block.raw_mut().pointer();
        // SAFETY: each part begins at a multiple of its elements' alignment, and has the bytes that `bytes_of` has counted for it after
        // the part before: they lie in the block, and no two overlap. All zero bytes are a value of every `Element`. The block
        // is dropped after the Views and is not used otherwise; launches on hosts have ended when they return.
        let (spare_keys, spare_values, scratch_keys, scratch_values, mut own_map, mut own_places) = unsafe {
            (
                space.unmanaged("sort: keys", [spare], take(&mut rest, spare))?,
                space.unmanaged("sort: values", [spare], take(&mut rest, spare))?,
                space.unmanaged("sort: scratch", scratch, take(&mut rest, cells))?,
                space.unmanaged("sort: scratch", scratch, take(&mut rest, cells))?,
                space.unmanaged("sort: map", [map.len()], take(&mut rest, map.len()))?,
                space.unmanaged("sort: places", places.extents(), take(&mut rest, places.len()))?,
            )
        };
        deep_copy(&mut own_map, map)?;
        deep_copy(&mut own_places, places)?;
        Ok(Self {
            spare_keys,
            spare_values,
            scratch_keys,
            scratch_values,
            map: own_map,
            places: own_places,
            _block: block,
        })
    }
}

/// The bytes that a part of `count` elements takes at most, with the gap before it.
fn bytes_of<T>(count: usize) -> usize {
    count.saturating_mul(size_of::<T>()).saturating_add(align_of::<T>().max(ALIGNMENT))
}

/// Takes the next part, of `count` elements, which moves `rest` by [`bytes_of`] them at most.
fn take<T>(rest: &mut *mut u8, count: usize) -> *mut T {
    let align = align_of::<T>().max(ALIGNMENT);
    let part = rest.wrapping_add(rest.addr().wrapping_neg() & (align - 1));
    *rest = part.wrapping_add(count * size_of::<T>());
    part.cast()
}

#[cfg(test)]
mod tests {
    use spelt_core::{Element, Serial, View};

    use super::Memory;

    #[derive(Clone, Copy, Debug, PartialEq, Element)]
    #[element(crate = "spelt_core")]
    #[repr(C, align(256))]
    struct Aligned([u64; 32]);

    /// Each View keeps its own elements when all are written.
    fn check<K: Element + PartialEq, V: Element + PartialEq>(n: usize, key: K, value: V) {
        let map = View::from_fn("map", [n], |[i]| i as u16).expect("memory");
        let places = View::from_fn("places", [2, n], |[i, j]| i + j).expect("memory");
        let mut memory =
            Memory::<K, V, _>::new(&Serial::new(), n, [3, 2 * n], &map, &places).expect("memory");
        assert!(memory.map.to_vec() == map.to_vec() && memory.places.to_vec() == places.to_vec());
        memory.spare_keys.fill(key);
        memory.spare_values.fill(value);
        memory.scratch_keys.fill(key);
        memory.scratch_values.fill(value);
        memory.map.fill(7);
        memory.places.fill(9);
        let keys = [memory.spare_keys.to_vec(), memory.scratch_keys.to_vec()].concat();
        let values = [memory.spare_values.to_vec(), memory.scratch_values.to_vec()].concat();
        assert!(keys == vec![key; 7 * n] && values == vec![value; 7 * n], "they overlap");
        assert!(memory.map.to_vec() == vec![7; n] && memory.places.to_vec() == vec![9; 2 * n]);
    }

    #[test]
    fn views_are_apart() {
        for n in [0, 1, 3, 64, 777] {
            check(n, 7_u8, [1_u8, 2, 3]);
            check(n, u64::MAX, 1_u128 << 100 | 9);
            check(n, 5_u32, ());
            check(n, 5_u16, Aligned([3; 32]));
        }
    }

    #[test]
    fn too_much_is_an_error() {
        let none = (View::zeros("map", [0]).expect("memory"), View::zeros("places", [0; 2]).expect("memory"));
        for (spare, scratch) in [(usize::MAX / 16, [1, 2]), (usize::MAX, [1, 2]), (2, [usize::MAX / 2, 3])] {
            assert!(Memory::<u64, u64, _>::new(&Serial::new(), spare, scratch, &none.0, &none.1).is_err());
        }
    }
}

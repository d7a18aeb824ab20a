//! Failing accesses: cold functions, so that a check costs one comparison and one branch.

use core::{
    fmt,
    sync::atomic::{AtomicPtr, Ordering},
};

/// Names the View at an address, with the kernel that was running: set by the host side.
pub type Describer = fn(address: usize, f: &mut fmt::Formatter<'_>) -> fmt::Result;

static DESCRIBER: AtomicPtr<()> = AtomicPtr::new(core::ptr::null_mut());

/// Sets how the messages of failing accesses name kernels and Views.
#[doc(hidden)]
pub fn set_describer(describer: Describer) {
    DESCRIBER.store(describer as *mut (), Ordering::Release);
}

struct Name(usize);

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let describer = DESCRIBER.load(Ordering::Acquire);
        if describer.is_null() {
            return f.write_str("a View");
        }
        // SAFETY: the only non-null values stored are function pointers of this type.
        let describer = unsafe { core::mem::transmute::<*mut (), Describer>(describer) };
        describer(self.0, f)
    }
}

/// Panics: `index` is outside the View whose first element is at `address`.
#[doc(hidden)]
#[cold]
#[inline(never)]
#[track_caller]
pub fn out_of_bounds(address: usize, index: &[usize]) -> ! {
    panic!("index {:?} is out of bounds of {}", Shown(index), Name(address))
}

/// An index as the program has computed it: a number above `isize::MAX` is a negative one.
#[doc(hidden)]
pub struct Shown<'a>(pub &'a [usize]);

impl fmt::Debug for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|number| number.cast_signed())).finish()
    }
}

/// [`out_of_bounds`] for an index that is also used otherwise.
///
/// The reference is to a copy, so the index itself has no address and a device keeps it in registers;
/// otherwise each access would first store it into local memory.
#[doc(hidden)]
#[cold]
#[inline(always)]
#[track_caller]
pub fn beyond<const R: usize>(address: usize, index: [usize; R]) -> ! {
    let copy: [usize; R] = core::array::from_fn(|dimension| index[dimension]);
    out_of_bounds(address, &copy)
}

/// Panics: an index is outside a slab of the View whose first element is at `address`; see [`OutOfSlab`] for the numbers.
#[doc(hidden)]
#[cold]
#[inline(never)]
#[track_caller]
pub fn out_of_slab(address: usize, numbers: &[usize]) -> ! {
    panic!("{} {}", OutOfSlab(numbers), Name(address))
}

/// An index outside a slab: the index, the slab's extents and its origin, each with as many numbers as the slab has dimensions.
#[doc(hidden)]
#[derive(Debug)]
pub struct OutOfSlab<'a>(pub &'a [usize]);

impl fmt::Display for OutOfSlab<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (index, bounds) = self.0.split_at(self.0.len() / 3);
        let (extents, origin) = bounds.split_at(bounds.len() / 2);
        write!(f, "index {:?} is out of bounds of a slab with extents {extents:?}", Shown(index))?;
        if origin.iter().any(|&number| number != 0) {
            write!(f, " and origin {:?}", Shown(origin))?;
        }
        f.write_str(", in")
    }
}

/// [`out_of_slab`] for an index and extents that are also used otherwise: it gets a copy, as [`out_of_bounds`] does.
#[doc(hidden)]
#[cold]
#[inline(always)]
#[track_caller]
pub fn beyond_slab<const R: usize>(
    address: usize,
    index: [usize; R],
    extents: [usize; R],
    origin: [usize; R],
) -> ! {
    let copy = [index, extents, origin];
    out_of_slab(address, copy.as_flattened())
}

/// Panics: `offset` leaves the halo of `halo` places around each index of the View at `address`.
#[doc(hidden)]
#[cold]
#[inline(never)]
#[track_caller]
pub fn beyond_halo(address: usize, offset: &[isize], halo: usize) -> ! {
    panic!("offset {offset:?} leaves the halo of {halo} of {}", Name(address))
}

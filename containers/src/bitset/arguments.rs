//! A [`Bitset`] as an argument of kernels.

use core::fmt;

use spelt_core::{
    AtomicAccess, Covers, Description, HostSpace, KernelArg, LookupAccess, MemorySpace, RawView, Right,
    describe,
};

use super::{Bitset, BitsetAccess, ResetsAccess, SetsAccess};

/// Bits that a kernel sets: [`Bitset::sets`].
///
/// The kernel receives a [`SetsAccess`].
///
/// # Examples
/// ```
/// use spelt_containers::{Bitset, Sets};
/// use spelt_core::{ExecutionSpace, Serial, parallel_for};
/// let space = Serial::new();
/// let mut bits = Bitset::new(&space, "bits", 4)?;
/// let sets: Sets<'_> = bits.sets();
/// parallel_for("even", space.range(0..2), sets, |i, bits| bits.set(2 * i.get()))?;
/// assert!(bits.iter().eq([0, 2]));
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[must_use = "an adapter does nothing until a launch takes it"]
pub struct Sets<'v, M: MemorySpace = HostSpace> {
    pub(super) bits: &'v mut Bitset<M>,
}

/// Bits that a kernel resets: [`Bitset::resets`].
///
/// The kernel receives a [`ResetsAccess`].
///
/// # Examples
/// ```
/// use spelt_containers::{Bitset, Resets};
/// use spelt_core::{ExecutionSpace, Serial, parallel_for};
/// let space = Serial::new();
/// let mut bits = Bitset::new(&space, "bits", 4)?;
/// bits.fill(&space, true)?;
/// let resets: Resets<'_> = bits.resets();
/// parallel_for("odd", space.range(0..2), resets, |i, bits| bits.reset(2 * i.get()))?;
/// assert!(bits.iter().eq([1, 3]));
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[must_use = "an adapter does nothing until a launch takes it"]
pub struct Resets<'v, M: MemorySpace = HostSpace> {
    pub(super) bits: &'v mut Bitset<M>,
}

macro_rules! debug {
    ($($name:ident)*) => {$(
        impl<M: MemorySpace> fmt::Debug for $name<'_, M> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_tuple(stringify!($name)).field(&self.bits).finish()
            }
        }
    )*};
}
debug!(Sets Resets);

/// The words, and the number of bits.
type RawBits = (RawView<u64, 1, Right>, usize);

/// Describes the bits, for messages, and then the allocation of their words.
#[inline(always)]
fn describe_bits<'a, M: MemorySpace>(
    bits: &'a Bitset<M>,
    adapter: &'static str,
    writes: bool,
    visit: &mut impl FnMut(Description<'a>),
) {
    let words = Description { covers: Covers::Nothing, adapter, writes, ..describe(bits.words.view()) };
    let mut named =
        Description { label: words.label, adapter, address: words.address, rank: 1, ..Description::SCALAR };
    named.extents[0] = bits.len;
    visit(named);
    visit(words);
}

// SAFETY: the accessor checks every index; the words, which are described, are borrowed shared.
unsafe impl<M: MemorySpace> KernelArg for &Bitset<M> {
    type Raw = RawBits;
    type Access<'k> = BitsetAccess<'k>;
    type Held = ();
    type Memory = (M, ());
    #[inline(always)]
    fn describe<'a>(&'a self, visit: &mut impl FnMut(Description<'a>)) {
        describe_bits(self, "", false, visit);
    }
    #[inline(always)]
    unsafe fn lower(&mut self) -> (Self::Raw, ()) {
        ((self.words.raw(), self.len), ())
    }
    #[inline(always)]
    unsafe fn access<'k>(raw: &Self::Raw, _part: usize) -> Self::Access<'k> {
        // SAFETY: by the contract of `access`, the borrow lives; it is shared, so nothing writes the words.
        BitsetAccess::new(unsafe { LookupAccess::new(raw.0) }, raw.1, raw.0.pointer() as usize)
    }
}

macro_rules! changing {
    ($($name:ident $access:ident $text:literal;)*) => {$(
        // SAFETY: the accessor checks every index, and changes the words, which are described and borrowed exclusively, only atomically.
        unsafe impl<M: MemorySpace> KernelArg for $name<'_, M> {
            type Raw = RawBits;
            type Access<'k> = $access<'k>;
            type Held = ();
            type Memory = (M, ());
            #[inline(always)]
            fn describe<'a>(&'a self, visit: &mut impl FnMut(Description<'a>)) {
                describe_bits(self.bits, $text, true, visit);
            }
            #[inline(always)]
            unsafe fn lower(&mut self) -> (Self::Raw, ()) {
                ((self.bits.words.raw_mut(), self.bits.len), ())
            }
            #[inline(always)]
            unsafe fn access<'k>(raw: &Self::Raw, _part: usize) -> Self::Access<'k> {
                // SAFETY: by the contract of `access`, the borrow lives; it is exclusive, so only accessors of this argument use the words.
                $access::new(unsafe { AtomicAccess::new(raw.0) }, raw.1, raw.0.pointer() as usize)
            }
        }
    )*};
}
changing! { Sets SetsAccess ".sets()"; Resets ResetsAccess ".resets()"; }

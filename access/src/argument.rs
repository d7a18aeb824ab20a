//! What a kernel may take, and what it gets for it.

use core::any::Any;

use crate::Element;

/// The most dimensions a View or a witness has.
pub const MAX_RANK: usize = 6;

/// Which witnesses an argument answers without a check, so that the launch must check them beforehand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Covers {
    /// None: each access is checked, or there is nothing to index.
    Nothing,
    /// Witnesses of this rank whose index lies in `lower[d]..upper[d]` in each dimension `d`.
    Rank(usize),
    /// Witnesses of any higher rank whose index in this dimension lies in `lower[0]..upper[0]`.
    Along(usize),
}

/// An argument as the launch sees it: its name and what it covers.
#[derive(Clone, Copy, Debug)]
pub struct Description<'a> {
    /// The View's label, or the kind of argument.
    pub label: &'a str,
    /// How the argument was adapted, as the user wrote it, or nothing.
    pub adapter: &'static str,
    /// The address of the first element: what a failing access knows of its View.
    pub address: usize,
    /// The number of dimensions of the View.
    pub rank: usize,
    /// The extents of the View, in its first `rank` places.
    pub extents: [usize; MAX_RANK],
    /// Which witnesses it answers.
    pub covers: Covers,
    /// The first index covered in each dimension.
    pub lower: [usize; MAX_RANK],
    /// One past the last index covered in each dimension.
    pub upper: [usize; MAX_RANK],
    /// Whether the kernel gets references to write elements through, by witnesses of the View's rank.
    pub written: bool,
    /// Whether the kernel changes the View, in whatever way.
    pub writes: bool,
    /// The distance, in elements, between neighbours in each dimension, in its first `rank` places.
    pub strides: [usize; MAX_RANK],
    /// The size of an element. Unit: bytes.
    pub element_bytes: usize,
    /// What owns the View's memory, as its memory space has it: the launch keeps count there of who uses it.
    pub allocation: Option<&'a dyn Any>,
}

impl Description<'_> {
    /// Whether witnesses of rank `rank` with an index in `lower[d]..upper[d]` in each dimension are covered; an
    /// empty box always is.
    #[inline(always)]
    #[must_use]
    pub fn covers_box(&self, lower: &[usize], upper: &[usize]) -> bool {
        let rank = lower.len();
        let mut covered = true;
        match self.covers {
            Covers::Nothing => {}
            Covers::Rank(own) => {
                if own == rank {
                    for dimension in 0..rank {
                        covered &= self.lower[dimension] <= lower[dimension]
                            && upper[dimension] <= self.upper[dimension];
                    }
                }
            }
            Covers::Along(dimension) => {
                if dimension < rank {
                    covered = self.lower[0] <= lower[dimension] && upper[dimension] <= self.upper[0];
                }
            }
        }
        covered
    }

    /// An argument that no witness indexes.
    pub const SCALAR: Description<'static> = Description {
        label: "scalar",
        adapter: "",
        address: 0,
        rank: 0,
        extents: [0; MAX_RANK],
        covers: Covers::Nothing,
        lower: [0; MAX_RANK],
        upper: [usize::MAX; MAX_RANK],
        written: false,
        writes: false,
        strides: [0; MAX_RANK],
        element_bytes: 0,
        allocation: None,
    };
}

/// Memory that an argument needs and cannot have.
#[derive(Clone, Copy, Debug)]
pub struct Shortage {
    /// The address in the argument's [`Description`].
    pub address: usize,
    /// How much it needs. Unit: bytes.
    pub bytes: usize,
}

/// One argument of a kernel: a scalar by value, `&View`, `&mut View`, or an adapted View.
///
/// # Safety
/// What [`access`](KernelArg::access) returns must be sound to use from safe code in any iteration of the
/// launch, at the same time as in all others, as long as each iteration holds other witnesses than the rest,
/// within what [`describe`](KernelArg::describe) covers. Users do not implement it; it is open to Spelt's own
/// crates only.
pub unsafe trait KernelArg {
    /// What is copied into the kernel, made once per launch.
    type Raw: Copy + Send + Sync;
    /// What the closure gets, made anew for every iteration.
    type Access<'k>;
    /// What the host keeps until the launch is over.
    type Held;

    /// Its name and what it covers.
    fn describe(&self) -> Description<'_>;

    /// The largest number of contiguous blocks into which the launch may cut its iterations, each run by one thread in
    /// order, if the argument keeps a copy for each block.
    ///
    /// Where the cuts lie must depend on this number and the policy alone, or results would depend on the threads.
    fn blocks(&self) -> Option<usize> {
        None
    }

    /// Gets the memory that [`lower`](KernelArg::lower) needs, before the launch.
    ///
    /// # Errors
    /// If there is not enough.
    fn prepare(&mut self) -> Result<(), Shortage> {
        Ok(())
    }

    /// Lowers the argument, once; it has been prepared.
    ///
    /// # Safety
    /// The result is used only while the borrow in `self` lives, and `self` is then only described.
    unsafe fn lower(&mut self) -> (Self::Raw, Self::Held);

    /// [`lower`](KernelArg::lower) for a launch on a device: its iterations all belong to block 0, and run at the same
    /// time. Memory that the argument keeps for the host has no place there.
    ///
    /// # Safety
    /// As for [`lower`](KernelArg::lower).
    #[inline(always)]
    unsafe fn lower_on_device(&mut self) -> (Self::Raw, Self::Held) {
        // SAFETY: the caller's promise.
        unsafe { self.lower() }
    }

    /// The accessor of an iteration that belongs to block `block`.
    ///
    /// # Safety
    /// `raw` comes from [`lower`](KernelArg::lower) or
    /// [`lower_on_device`](KernelArg::lower_on_device), its borrow lives, and `'k` is the brand of an iteration of
    /// the launch; the witnesses of that brand are covered; `block` is below [`blocks`](KernelArg::blocks), if that is
    /// a number, and then no two threads work on one block at a time.
    unsafe fn access<'k>(raw: &Self::Raw, block: usize) -> Self::Access<'k>;

    /// Ends the launch on the host, after all iterations, while the argument still lives.
    fn finish(held: Self::Held) {
        drop(held);
    }
}

// SAFETY: a copy of plain data for each iteration.
unsafe impl<T: Element> KernelArg for T {
    type Raw = T;
    type Access<'k> = T;
    type Held = ();
    #[inline(always)]
    fn describe(&self) -> Description<'_> {
        Description::SCALAR
    }
    #[inline(always)]
    unsafe fn lower(&mut self) -> (T, ()) {
        (*self, ())
    }
    #[inline(always)]
    unsafe fn access<'k>(raw: &T, _block: usize) -> Self::Access<'k> {
        *raw
    }
}

/// The arguments of a kernel: a tuple of up to twelve [`KernelArg`]s, or one View by itself.
///
/// # Safety
/// As for [`KernelArg`].
pub unsafe trait KernelArgs {
    /// What is copied into the kernel, made once per launch.
    type Raw: Copy + Send + Sync;
    /// What the closure gets, made anew for every iteration.
    type Access<'k>;
    /// What the host keeps until the launch is over.
    type Held;

    /// Calls `visit` with each argument's description, first to last.
    fn describe<'a>(&'a self, visit: &mut impl FnMut(Description<'a>));

    /// The fewest blocks that an argument asks for: each then has a copy for every block.
    fn blocks(&self) -> Option<usize>;

    /// Gets the memory that [`lower`](KernelArgs::lower) needs, before the launch.
    ///
    /// # Errors
    /// If there is not enough.
    fn prepare(&mut self) -> Result<(), Shortage>;

    /// Lowers all arguments, once; they have been prepared.
    ///
    /// # Safety
    /// The result is used only while the borrows in `self` live, and `self` is then only described.
    unsafe fn lower(&mut self) -> (Self::Raw, Self::Held);

    /// Lowers all arguments for a launch on a device, once; see [`KernelArg::lower_on_device`].
    ///
    /// # Safety
    /// As for [`lower`](KernelArgs::lower).
    unsafe fn lower_on_device(&mut self) -> (Self::Raw, Self::Held);

    /// The accessors of an iteration that belongs to block `block`.
    ///
    /// # Safety
    /// As for [`KernelArg::access`].
    unsafe fn access<'k>(raw: &Self::Raw, block: usize) -> Self::Access<'k>;

    /// Ends the launch on the host, after all iterations.
    fn finish(held: Self::Held);
}

/// The fewer blocks of two wishes; nothing asks for nothing.
#[inline(always)]
fn fewer(a: Option<usize>, b: Option<usize>) -> Option<usize> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (some, None) | (None, some) => some,
    }
}

macro_rules! tuples {
    ($($($name:ident $place:tt)*;)*) => {$(
        // SAFETY: each member keeps the contract for itself, and no two share a View: `&mut` is exclusive.
        unsafe impl<$($name: KernelArg),*> KernelArgs for ($($name,)*) {
            type Raw = ($($name::Raw,)*);
            type Access<'k> = ($($name::Access<'k>,)*);
            type Held = ($($name::Held,)*);
            #[inline(always)]
            #[allow(unused_variables)]
            fn describe<'a>(&'a self, visit: &mut impl FnMut(Description<'a>)) {
                $(visit(self.$place.describe());)*
            }
            #[inline(always)]
            fn blocks(&self) -> Option<usize> {
                #[allow(unused_mut)]
                let mut least = None;
                $(least = fewer(least, self.$place.blocks());)*
                least
            }
            #[inline(always)]
            fn prepare(&mut self) -> Result<(), Shortage> {
                $(self.$place.prepare()?;)*
                Ok(())
            }
            #[inline(always)]
            #[allow(clippy::unused_unit)]
            unsafe fn lower(&mut self) -> (Self::Raw, Self::Held) {
                // SAFETY: the caller's promise is handed on.
                $(let $name = unsafe { self.$place.lower() };)*
                (($($name.0,)*), ($($name.1,)*))
            }
            #[inline(always)]
            #[allow(clippy::unused_unit)]
            unsafe fn lower_on_device(&mut self) -> (Self::Raw, Self::Held) {
                // SAFETY: the caller's promise is handed on.
                $(let $name = unsafe { self.$place.lower_on_device() };)*
                (($($name.0,)*), ($($name.1,)*))
            }
            #[inline(always)]
            #[allow(unused_variables, clippy::unused_unit)]
            unsafe fn access<'k>(raw: &Self::Raw, block: usize) -> Self::Access<'k> {
                // SAFETY: the caller's promise is handed on.
                unsafe { ($($name::access(&raw.$place, block),)*) }
            }
            #[allow(unused_variables)]
            fn finish(held: Self::Held) {
                $($name::finish(held.$place);)*
            }
        }
    )*};
}
#[allow(non_snake_case, clippy::unused_unit, unused_unsafe)]
mod tuples {
    use super::*;
    tuples! {
        ;
        A 0;
        A 0 B 1;
        A 0 B 1 C 2;
        A 0 B 1 C 2 D 3;
        A 0 B 1 C 2 D 3 E 4;
        A 0 B 1 C 2 D 3 E 4 F 5;
        A 0 B 1 C 2 D 3 E 4 F 5 G 6;
        A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7;
        A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8;
        A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9;
        A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10;
        A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11;
    }
}

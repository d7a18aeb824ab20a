//! The arguments of kernels, and the accessors that the kernels receive.

use core::any::Any;

use crate::Element;

/// The maximum number of dimensions of a View or a witness.
pub const MAX_RANK: usize = 6;

/// The witnesses that an argument accepts without a check, so that the launch must check them beforehand.
///
/// # Examples
/// ```
/// use spelt_access::{Covers, KernelArg};
/// assert_eq!(KernelArg::describe(&2.5).covers, Covers::Nothing);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Covers {
    /// None: each access is checked, or there is nothing to index.
    Nothing,
    /// Witnesses of this rank whose index lies in `lower[d]..upper[d]` in each dimension `d`.
    Rank(usize),
    /// Witnesses of any higher rank whose index in this dimension lies in `lower[0]..upper[0]`.
    Along(usize),
}

/// The launch's view of an argument: its name and the indices that it covers.
///
/// # Examples
/// ```
/// use spelt_access::{Covers, Description};
/// let y = Description { label: "y", rank: 1, covers: Covers::Rank(1), upper: [100; 6], ..Description::SCALAR };
/// assert!(y.covers_box(&[0], &[100]) && !y.covers_box(&[0], &[101]));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Description<'a> {
    /// The View's label, or the kind of argument.
    pub label: &'a str,
    /// The adapter, as in the user's code, or an empty string.
    pub adapter: &'static str,
    /// The address of the first element, which leads a failing access to the names.
    pub address: usize,
    /// The number of dimensions of the View.
    pub rank: usize,
    /// The extents of the View, in its first `rank` places.
    pub extents: [usize; MAX_RANK],
    /// The witnesses that it accepts.
    pub covers: Covers,
    /// The first index covered in each dimension.
    pub lower: [usize; MAX_RANK],
    /// One past the last index covered in each dimension.
    pub upper: [usize; MAX_RANK],
    /// Whether the kernel gets mutable references to elements, by witnesses of the View's rank.
    pub written: bool,
    /// Whether the kernel changes the View, in any way.
    pub writes: bool,
    /// The distance, in elements, between neighbours in each dimension, in its first `rank` places.
    pub strides: [usize; MAX_RANK],
    /// The size of an element. Unit: bytes.
    pub element_bytes: usize,
    /// The owner of the View's memory, of the memory space's type, in which the launch records uses.
    pub allocation: Option<&'a dyn Any>,
}

impl Description<'_> {
    /// Whether witnesses of rank `rank` with an index in `lower[d]..upper[d]` in each dimension are covered; an
    /// empty box always is.
    ///
    /// # Examples
    /// ```
    /// use spelt_access::{Covers, Description};
    /// let x = Description { covers: Covers::Along(1), upper: [100; 6], ..Description::SCALAR };
    /// assert!(x.covers_box(&[0, 0], &[500, 100]) && !x.covers_box(&[0, 0], &[100, 500]));
    /// ```
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

    /// An argument that cannot be indexed.
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

/// Memory that an argument needs and cannot get.
///
/// # Examples
/// ```
/// use spelt_access::Shortage;
/// let shortage = Shortage { address: 0, bytes: 1 << 40 };
/// assert_eq!(shortage.bytes >> 30, 1024);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Shortage {
    /// The address in the argument's [`Description`].
    pub address: usize,
    /// The required amount. Unit: bytes.
    pub bytes: usize,
}

/// One argument of a kernel: a scalar by value, `&View`, `&mut View`, or an adapted View.
///
/// # Safety
/// The value that [`access`](KernelArg::access) returns must be sound to use from safe code in any iteration of the
/// launch, at the same time as in all others, as long as no two iterations hold the same witness,
/// within what [`covers_box`](KernelArg::covers_box) accepts; that is nothing that [`describe`](KernelArg::describe) does not
/// cover. Only Spelt's crates implement it.
///
/// # Examples
/// ```
/// use spelt_access::KernelArg;
/// fn label(argument: &impl KernelArg) -> &str {
///     argument.describe().label
/// }
/// assert_eq!(label(&2.5), "scalar");
/// ```
pub unsafe trait KernelArg {
    /// The data copied into the kernel, made once per launch.
    type Raw: Copy + Send + Sync;
    /// The closure's parameter, made for every iteration.
    type Access<'k>;
    /// The data that the host keeps until the launch is over.
    type Held;

    /// Its name and the indices that it covers.
    ///
    /// # Examples
    /// ```
    /// use spelt_access::KernelArg;
    /// assert_eq!(2.5.describe().label, "scalar");
    /// ```
    fn describe(&self) -> Description<'_>;

    /// Whether it covers the witnesses of the box `lower..upper`, as [`Description::covers_box`] says: inlined, so that only the numbers
    /// that are compared are computed.
    ///
    /// # Examples
    /// ```
    /// use spelt_access::KernelArg;
    /// assert!(KernelArg::covers_box(&2.5, &[0], &[100]));
    /// ```
    #[inline(always)]
    fn covers_box(&self, lower: &[usize], upper: &[usize]) -> bool {
        self.describe().covers_box(lower, upper)
    }

    /// The largest number of contiguous parts into which the launch may cut its iterations, each run by one thread in
    /// order, if the argument keeps a replica for each part.
    ///
    /// The cuts must depend only on this number and on the policy, or results would depend on the threads.
    ///
    /// # Examples
    /// ```
    /// use spelt_access::KernelArg;
    /// assert_eq!(KernelArg::parts(&2.5), None);
    /// ```
    fn parts(&self) -> Option<usize> {
        None
    }

    /// Allocates the memory that [`lower`](KernelArg::lower) needs for a launch of this many iterations: none for an empty one.
    ///
    /// # Errors
    /// If there is not enough memory.
    ///
    /// # Examples
    /// ```
    /// use spelt_access::KernelArg;
    /// assert!(KernelArg::prepare(&mut 2.5, 10).is_ok());
    /// ```
    fn prepare(&mut self, _iterations: usize) -> Result<(), Shortage> {
        Ok(())
    }

    /// Lowers the argument, once, after it has been prepared.
    ///
    /// # Safety
    /// The result is used only while the borrow in `self` lives, and `self` is then only described.
    ///
    /// # Examples
    /// ```
    /// use spelt_access::KernelArg;
    /// // SAFETY: a number borrows nothing.
    /// let (raw, ()) = unsafe { KernelArg::lower(&mut 2.5) };
    /// assert_eq!(raw, 2.5);
    /// ```
    unsafe fn lower(&mut self) -> (Self::Raw, Self::Held);

    /// [`lower`](KernelArg::lower) for a launch on a device: its iterations all belong to part 0, and run at the same
    /// time. Memory that the argument keeps for the host has no place there.
    ///
    /// # Safety
    /// As for [`lower`](KernelArg::lower).
    ///
    /// # Examples
    /// ```
    /// use spelt_access::KernelArg;
    /// // SAFETY: a number borrows nothing.
    /// let (raw, ()) = unsafe { KernelArg::lower_on_device(&mut 2.5) };
    /// assert_eq!(raw, 2.5);
    /// ```
    #[inline(always)]
    unsafe fn lower_on_device(&mut self) -> (Self::Raw, Self::Held) {
        // SAFETY: `lower_on_device` has the contract of `lower`: the result is used only while the borrow in `self`
        // lives.
        unsafe { self.lower() }
    }

    /// The accessor of an iteration that belongs to `part`.
    ///
    /// # Safety
    /// `raw` comes from [`lower`](KernelArg::lower) or
    /// [`lower_on_device`](KernelArg::lower_on_device), its borrow lives, and `'k` is the brand of an iteration of
    /// the launch; the witnesses of that brand are covered; `part` is below [`parts`](KernelArg::parts), if that is
    /// a number, and then no two threads work on one part at a time.
    ///
    /// # Examples
    /// ```
    /// use spelt_access::KernelArg;
    /// // SAFETY: a number borrows nothing and has no index.
    /// assert_eq!(unsafe { <f64 as KernelArg>::access(&2.5, 0) }, 2.5);
    /// ```
    unsafe fn access<'k>(raw: &Self::Raw, part: usize) -> Self::Access<'k>;

    /// Ends the launch on the host, after all iterations, while the argument still lives.
    ///
    /// # Examples
    /// ```
    /// use spelt_access::KernelArg;
    /// <f64 as KernelArg>::finish(());
    /// ```
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
/// As for [`KernelArg`]; [`covers_box`](KernelArgs::covers_box) is true only if that of every argument is.
///
/// # Examples
/// ```
/// use spelt_access::KernelArgs;
/// fn count(arguments: &impl KernelArgs) -> usize {
///     let mut count = 0;
///     arguments.describe(&mut |_| count += 1);
///     count
/// }
/// assert_eq!(count(&(2.5, 7, true)), 3);
/// ```
pub unsafe trait KernelArgs {
    /// The data copied into the kernel, made once per launch.
    type Raw: Copy + Send + Sync;
    /// The closure's parameter, made for every iteration.
    type Access<'k>;
    /// The data that the host keeps until the launch is over.
    type Held;

    /// Calls `visit` with each argument's description, first to last.
    ///
    /// # Examples
    /// ```
    /// use spelt_access::KernelArgs;
    /// let mut labels = Vec::new();
    /// (2.5, 7).describe(&mut |description| labels.push(description.label));
    /// assert_eq!(labels, ["scalar", "scalar"]);
    /// ```
    fn describe<'a>(&'a self, visit: &mut impl FnMut(Description<'a>));

    /// Whether every argument covers the witnesses of the box `lower..upper`.
    ///
    /// # Examples
    /// ```
    /// use spelt_access::KernelArgs;
    /// assert!(KernelArgs::covers_box(&(2.5, 7), &[0], &[100]));
    /// ```
    fn covers_box(&self, lower: &[usize], upper: &[usize]) -> bool;

    /// The smallest number of parts that an argument requests: each argument then has a replica for every part.
    ///
    /// # Examples
    /// ```
    /// use spelt_access::KernelArgs;
    /// assert_eq!(KernelArgs::parts(&(2.5, 7)), None);
    /// ```
    fn parts(&self) -> Option<usize>;

    /// Allocates the memory that [`lower`](KernelArgs::lower) needs for a launch of this many iterations: none for an empty one.
    ///
    /// # Errors
    /// If there is not enough memory.
    ///
    /// # Examples
    /// ```
    /// use spelt_access::KernelArgs;
    /// assert!(KernelArgs::prepare(&mut (2.5, 7), 10).is_ok());
    /// ```
    fn prepare(&mut self, iterations: usize) -> Result<(), Shortage>;

    /// Lowers all arguments, once, after they have been prepared.
    ///
    /// # Safety
    /// The result is used only while the borrows in `self` live, and `self` is then only described.
    ///
    /// # Examples
    /// ```
    /// use spelt_access::KernelArgs;
    /// // SAFETY: numbers borrow nothing.
    /// let (raw, _) = unsafe { KernelArgs::lower(&mut (2.5, 7)) };
    /// assert_eq!(raw, (2.5, 7));
    /// ```
    unsafe fn lower(&mut self) -> (Self::Raw, Self::Held);

    /// Lowers all arguments for a launch on a device, once; see [`KernelArg::lower_on_device`].
    ///
    /// # Safety
    /// As for [`lower`](KernelArgs::lower).
    ///
    /// # Examples
    /// ```
    /// use spelt_access::KernelArgs;
    /// // SAFETY: numbers borrow nothing.
    /// let (raw, _) = unsafe { KernelArgs::lower_on_device(&mut (2.5, 7)) };
    /// assert_eq!(raw, (2.5, 7));
    /// ```
    unsafe fn lower_on_device(&mut self) -> (Self::Raw, Self::Held);

    /// The accessors of an iteration that belongs to `part`.
    ///
    /// # Safety
    /// As for [`KernelArg::access`].
    ///
    /// # Examples
    /// ```
    /// use spelt_access::KernelArgs;
    /// // SAFETY: numbers borrow nothing and have no index.
    /// assert_eq!(unsafe { <(f64, i32) as KernelArgs>::access(&(2.5, 7), 0) }, (2.5, 7));
    /// ```
    unsafe fn access<'k>(raw: &Self::Raw, part: usize) -> Self::Access<'k>;

    /// Ends the launch on the host, after all iterations.
    ///
    /// # Examples
    /// ```
    /// use spelt_access::KernelArgs;
    /// <(f64, i32) as KernelArgs>::finish(((), ()));
    /// ```
    fn finish(held: Self::Held);
}

/// The smaller of two requests for parts; `None` requests none.
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
            #[allow(unused_variables)]
            fn covers_box(&self, lower: &[usize], upper: &[usize]) -> bool {
                true $(& self.$place.covers_box(lower, upper))*
            }
            #[inline(always)]
            fn parts(&self) -> Option<usize> {
                #[allow(unused_mut)]
                let mut least = None;
                $(least = fewer(least, self.$place.parts());)*
                least
            }
            #[inline(always)]
            #[allow(unused_variables)]
            fn prepare(&mut self, iterations: usize) -> Result<(), Shortage> {
                $(self.$place.prepare(iterations)?;)*
                Ok(())
            }
            #[inline(always)]
            #[allow(clippy::unused_unit)]
            unsafe fn lower(&mut self) -> (Self::Raw, Self::Held) {
                // SAFETY: the contract of `lower` for the tuple is that of each member: the result is used only while
                // the borrows live.
                $(let $name = unsafe { self.$place.lower() };)*
                (($($name.0,)*), ($($name.1,)*))
            }
            #[inline(always)]
            #[allow(clippy::unused_unit)]
            unsafe fn lower_on_device(&mut self) -> (Self::Raw, Self::Held) {
                // SAFETY: the contract of `lower_on_device` for the tuple is that of each member: the result is used
                // only while the borrows live.
                $(let $name = unsafe { self.$place.lower_on_device() };)*
                (($($name.0,)*), ($($name.1,)*))
            }
            #[inline(always)]
            #[allow(unused_variables, clippy::unused_unit)]
            unsafe fn access<'k>(raw: &Self::Raw, part: usize) -> Self::Access<'k> {
                // SAFETY: each member's raw form came from lowering that member, and brand, coverage and part are the
                // tuple's own, for which the contract of `access` has been kept.
                unsafe { ($($name::access(&raw.$place, part),)*) }
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

//! One argument of a kernel: a scalar, or a View in one of its forms.

use core::mem::MaybeUninit;

use crate::{Description, Divided, Element, Memories, OwnRows, ScatterVisitor, Shortage};

/// One argument of a kernel: a scalar by value, `&View`, `&mut View`, or an adapted View.
///
/// Tuples, arrays and structs of these are [`KernelArgs`](crate::KernelArgs), as is every `KernelArg` by itself.
///
/// # Safety
/// The value that [`access`](KernelArg::access) returns must be sound to use from safe code in any iteration of the
/// launch, at the same time as in all others, as long as no two iterations hold the same witness,
/// and all witnesses are accepted by [`covers_box`](KernelArg::covers_box), which accepts only what
/// [`describe`](KernelArg::describe) covers. [`describe`](KernelArg::describe) describes every allocation that [`Raw`](KernelArg::Raw) points into, and
/// [`Memory`](KernelArg::Memory) lists the memory spaces of all of them. Where a description gives the way to the elements, the argument
/// borrows the View, exclusively if the kernel writes it, and after a launch that has succeeded all of its elements are initialised.
/// Iterations reach the elements in the spans of [`written_spans`](KernelArg::written_spans) only through the raw form that they are given,
/// each its own. Spans of different Views have no byte in common, nor have those of one View between indices of which no index is between both
/// pairs; `with_spans` takes as many pointers as `written_spans` passes spans.
/// Only Spelt's crates implement it.
///
/// # Examples
/// ```
/// use spelt_access::KernelArg;
/// fn views(argument: &impl KernelArg) -> usize {
///     let mut views = 0;
///     argument.describe(&mut |_| views += 1);
///     views
/// }
/// assert_eq!(views(&2.5), 0);
/// ```
pub unsafe trait KernelArg {
    /// The data copied into the kernel, made once per launch.
    type Raw: Copy + Send + Sync;
    /// The closure's parameter, made for every iteration.
    type Access<'k>;
    /// The data that the host keeps until the launch is over.
    type Held;
    /// The memory spaces that it points into: `(M, ())` for one, `()` for a scalar.
    type Memory: Memories;
    /// Whether each team has its own part: see [`in_team`](KernelArg::in_team).
    const BY_TEAM: bool = false;
    /// Whether accesses by an index of the closure's own are checked, so that they may fail: loops with them are not vector code. It decides
    /// only which loops are compiled.
    const MAY_FAIL: bool = false;

    /// Whether iterations along a line read rows of neighbours that begin at different places of their cache lines, so that most loads of
    /// the widest vectors would need two lines. It decides only how wide the vectors are.
    #[doc(hidden)]
    #[inline(always)]
    fn crosses_lines(_raw: &Self::Raw) -> bool {
        false
    }

    /// The number of Views of which iterations write elements that are theirs alone, contiguous along the last dimension.
    #[doc(hidden)]
    const SPANS: usize = 0;

    /// Calls `visit` with the bytes of each of these Views from the element of iteration `first` to that of `last`.
    ///
    /// # Safety
    /// `raw` comes from [`lower`](KernelArg::lower), its borrow lives, and the launch covers both; `last` does not come before `first`.
    #[doc(hidden)]
    #[inline(always)]
    unsafe fn written_spans<const N: usize>(
        _raw: &Self::Raw,
        _first: [usize; N],
        _last: [usize; N],
        _visit: &mut impl FnMut(*mut [MaybeUninit<u8>]),
    ) {
    }

    /// The same raw form with other pointers to the elements from `first` on of these Views, as far as there are pointers.
    ///
    /// # Safety
    /// `next` gives the pointers that [`written_spans`](KernelArg::written_spans) has passed for `first`, in its order. Others that it gives after them are
    /// not used.
    #[doc(hidden)]
    #[inline(always)]
    unsafe fn with_spans<const N: usize>(
        raw: Self::Raw,
        _first: [usize; N],
        _next: &mut impl FnMut() -> Option<*mut u8>,
    ) -> Self::Raw {
        raw
    }

    /// Calls `visit` with the description of each allocation that the argument points into, beginning with the View that the user named.
    /// A scalar has none.
    ///
    /// A device does not wait for an allocation that is not described, and the allocation could be freed while the kernel runs.
    ///
    /// # Examples
    /// ```
    /// use spelt_access::KernelArg;
    /// 2.5.describe(&mut |_| panic!("a number points to no memory"));
    /// ```
    fn describe<'a>(&'a self, visit: &mut impl FnMut(Description<'a>));

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
        let mut covered = true;
        let mut visit = inlined(
            #[inline(always)]
            |description: Description<'_>| covered &= description.covers_box(lower, upper),
        );
        self.describe(&mut visit);
        covered
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
    #[inline(always)]
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
    #[inline(always)]
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

    /// [`lower`](KernelArg::lower) for a launch on a device: its iterations all run at the same time, and in place of the part
    /// they pass their number in the order of a host. Memory that the argument keeps for the host has no place there.
    ///
    /// # Safety
    /// The result is used only while the borrow in `self` lives, and `self` is then only described.
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

    /// Calls `visit` with the View that is divided among ranks, if the argument is one.
    #[doc(hidden)]
    #[inline(always)]
    fn divided(&mut self, _visit: &mut dyn FnMut(Divided<'_>)) {}

    /// Calls `visitor` with each scattered View.
    ///
    /// # Errors
    /// The first of the visitor.
    #[doc(hidden)]
    #[inline(always)]
    fn scattered<V: ScatterVisitor>(_raw: &mut Self::Raw, _visitor: &mut V) -> Result<(), V::Error> {
        Ok(())
    }

    /// The accessor of an iteration that belongs to `part`.
    ///
    /// # Safety
    /// `raw` comes from [`lower`](KernelArg::lower) or
    /// [`lower_on_device`](KernelArg::lower_on_device), its borrow lives, and `'k` is the brand of an iteration of
    /// the launch; the witnesses of that brand are covered; `part` is below [`parts`](KernelArg::parts), if that is
    /// a number, and then no two threads work on one part at a time. On a device it is the number of the iteration instead.
    ///
    /// # Examples
    /// ```
    /// use spelt_access::KernelArg;
    /// // SAFETY: a number borrows nothing and has no index.
    /// assert_eq!(unsafe { <f64 as KernelArg>::access(&2.5, 0) }, 2.5);
    /// ```
    unsafe fn access<'k>(raw: &Self::Raw, part: usize) -> Self::Access<'k>;

    /// The raw form for team `league_rank`, and the number of rows that it covers there: the team compares its nested loops with
    /// that number. Launches of teams call it for each team if [`BY_TEAM`](KernelArg::BY_TEAM) is true.
    ///
    /// # Safety
    /// `raw` comes from [`lower`](KernelArg::lower) or [`lower_on_device`](KernelArg::lower_on_device), its borrow lives, and the launch
    /// covers a league with such a team.
    ///
    /// # Examples
    /// ```
    /// use spelt_access::{KernelArg, OwnRows};
    /// // SAFETY: a number borrows nothing and has no index.
    /// assert_eq!(unsafe { <f64 as KernelArg>::in_team(&2.5, 3) }, (2.5, OwnRows::ALL));
    /// ```
    #[inline(always)]
    unsafe fn in_team(raw: &Self::Raw, _league_rank: usize) -> (Self::Raw, OwnRows) {
        (*raw, OwnRows::ALL)
    }

    /// Ends the launch on the host, after all iterations, while the argument still lives.
    ///
    /// # Examples
    /// ```
    /// use spelt_access::KernelArg;
    /// <f64 as KernelArg>::finish(());
    /// ```
    #[inline(always)]
    fn finish(held: Self::Held) {
        drop(held);
    }
}

/// An [`Element`] that is one argument by itself. Tuples and arrays are not: they are arguments by their members.
///
/// `#[derive(Element)]` implements it. A type that implements `Element` by hand needs it too.
///
/// # Examples
/// ```
/// use spelt_access::{Element, Scalar};
/// #[derive(Clone, Copy)]
/// struct Celsius(f64);
/// // SAFETY: the only field is a number.
/// unsafe impl Element for Celsius {}
/// impl Scalar for Celsius {}
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be passed to a kernel",
    label = "not an argument of a kernel",
    note = "arguments are `&View`, `&mut View`, adapted Views such as `x.lookup()`, and elements by value",
    note = "so are tuples of up to 24 arguments, arrays of them, and structs of them with `#[derive(KernelArgs)]`"
)]
pub trait Scalar: Element {}

// SAFETY: a copy of plain data for each iteration, which points to no memory.
unsafe impl<T: Scalar> KernelArg for T {
    type Raw = T;
    type Access<'k> = T;
    type Held = ();
    type Memory = ();
    #[inline(always)]
    fn describe<'a>(&'a self, _visit: &mut impl FnMut(Description<'a>)) {}
    #[inline(always)]
    unsafe fn lower(&mut self) -> (T, ()) {
        (*self, ())
    }
    #[inline(always)]
    unsafe fn access<'k>(raw: &T, _part: usize) -> Self::Access<'k> {
        *raw
    }
}

/// The closure itself: it can have an attribute, such as `#[inline(always)]`, only as an argument of a function.
#[doc(hidden)]
#[inline(always)]
pub fn inlined<F: FnMut(Description<'_>)>(closure: F) -> F {
    closure
}

/// The closure itself: see [`inlined`].
#[inline(always)]
pub(crate) fn inlined_span<F: FnMut(*mut [MaybeUninit<u8>])>(closure: F) -> F {
    closure
}

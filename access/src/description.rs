//! The launch's view of an argument: the Views that it points into, and the indices that they cover.

use core::any::Any;

use crate::Elements;

/// The maximum number of dimensions of a View or a witness.
pub const MAX_RANK: usize = 8;

/// The witnesses that an argument accepts without a check, so that the launch must check them beforehand.
///
/// # Examples
/// ```
/// use spelt_access::{Covers, Description};
/// assert_eq!(Description::SCALAR.covers, Covers::Nothing);
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

/// The launch's view of one allocation that an argument points into: its name and the indices that it covers.
///
/// # Examples
/// ```
/// use spelt_access::{Covers, Description};
/// let y = Description { label: "y", rank: 1, covers: Covers::Rank(1), upper: [100; 8], ..Description::SCALAR };
/// assert!(y.covers_box(&[0], &[100]) && !y.covers_box(&[0], &[101]));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Description<'a> {
    /// The View's label, or the kind of argument.
    pub label: &'a str,
    /// The adapter, as in the user's code, or an empty string.
    pub adapter: &'static str,
    /// The part of the View that an iteration has, for messages about indices within it: `a row of `, or an empty string.
    pub part: &'static str,
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
    /// Whether the View is divided among ranks, so that a launch over all of them has checked it as a whole.
    pub divided: bool,
    /// The first index in each dimension, if it is not 0 in all of them: `lower` and `upper` are counted from it.
    pub origin: Option<[isize; MAX_RANK]>,
    /// The distance, in elements, between neighbours in each dimension, in its first `rank` places.
    pub strides: [usize; MAX_RANK],
    /// The size of an element. Unit: bytes.
    pub element_bytes: usize,
    /// The owner of the View's memory, of the memory space's type, in which the launch records uses.
    pub allocation: Option<&'a dyn Any>,
    /// The way to the elements, for tools: `address`, `extents`, `strides` and `allocation` are then those of the View. `None` for memory
    /// whose contents are nothing to look at.
    #[doc(hidden)]
    pub elements: Option<&'static Elements>,
}

impl Description<'_> {
    /// The size of the View's elements; at most `u64::MAX`. Unit: bytes.
    ///
    /// # Examples
    /// ```
    /// use spelt_access::Description;
    /// let description = Description { rank: 2, extents: [3, 4, 0, 0, 0, 0, 0, 0], element_bytes: 8, ..Description::SCALAR };
    /// assert_eq!(description.size_bytes(), 96);
    /// ```
    #[inline]
    #[must_use]
    pub fn size_bytes(&self) -> u64 {
        let elements = self.extents[..self.rank].iter().map(|&extent| extent as u64);
        elements.fold(self.element_bytes as u64, u64::saturating_mul)
    }

    /// Whether witnesses of rank `rank` with an index in `lower[d]..upper[d]` in each dimension are covered; an
    /// empty box always is.
    ///
    /// # Examples
    /// ```
    /// use spelt_access::{Covers, Description};
    /// let x = Description { covers: Covers::Along(1), upper: [100; 8], ..Description::SCALAR };
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
                        let (first, end) = self.covered(dimension);
                        covered &= first <= lower[dimension] && upper[dimension] <= end;
                    }
                }
            }
            Covers::Along(dimension) => {
                if dimension < rank {
                    let (begin, past) = self.covered(0);
                    covered = begin <= lower[dimension] && upper[dimension] <= past;
                }
            }
        }
        covered
    }

    /// The indices that it covers in `dimension`, without those below 0: the first, and one past the last. There are none if the first is
    /// not below the other.
    ///
    /// # Examples
    /// ```
    /// use spelt_access::Description;
    /// let x = Description { origin: Some([-2; 8]), upper: [100; 8], ..Description::SCALAR };
    /// assert_eq!(x.covered(0), (0, 98));
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn covered(&self, dimension: usize) -> (usize, usize) {
        let (first, end) = (self.lower[dimension], self.upper[dimension]);
        match self.origin {
            None => (first, end),
            Some(origin) => {
                (first.saturating_add_signed(origin[dimension]), end.saturating_add_signed(origin[dimension]))
            }
        }
    }

    /// As [`covered`](Self::covered), with the indices below 0.
    ///
    /// # Examples
    /// ```
    /// use spelt_access::Description;
    /// let x = Description { origin: Some([-2; 8]), upper: [100; 8], ..Description::SCALAR };
    /// assert_eq!(x.covered_signed(0), (-2, 98));
    /// ```
    #[must_use]
    pub fn covered_signed(&self, dimension: usize) -> (isize, isize) {
        let origin = self.origin.map_or(0, |origin| origin[dimension]);
        let from = |place| origin.saturating_add_unsigned(place);
        (from(self.lower[dimension]), from(self.upper[dimension]))
    }

    /// Whether the [`SignedIdx`](crate::SignedIdx) witnesses with an index in `lower[d]..upper[d]` in each dimension are covered.
    ///
    /// Only accessors with an origin take them, so every other argument covers them. An empty box is compared like others.
    ///
    /// # Examples
    /// ```
    /// use spelt_access::{Covers, Description};
    /// let x = Description { covers: Covers::Rank(1), origin: Some([-2; 8]), upper: [100; 8], ..Description::SCALAR };
    /// assert!(x.covers_signed_box(&[-2], &[98]) && !x.covers_signed_box(&[-2], &[99]));
    /// ```
    #[must_use]
    pub fn covers_signed_box(&self, lower: &[isize], upper: &[isize]) -> bool {
        let covers = |place, dimension: usize| {
            let (from, to) = self.covered_signed(place);
            from <= lower[dimension] && upper[dimension] <= to
        };
        match self.covers {
            _ if self.origin.is_none() => true,
            Covers::Nothing => true,
            Covers::Rank(own) => own != lower.len() || (0..own).all(|dimension| covers(dimension, dimension)),
            Covers::Along(dimension) => dimension >= lower.len() || covers(0, dimension),
        }
    }

    /// An argument that cannot be indexed.
    pub const SCALAR: Description<'static> = Description {
        label: "scalar",
        adapter: "",
        part: "",
        address: 0,
        rank: 0,
        extents: [0; MAX_RANK],
        covers: Covers::Nothing,
        lower: [0; MAX_RANK],
        upper: [usize::MAX; MAX_RANK],
        written: false,
        writes: false,
        divided: false,
        origin: None,
        strides: [0; MAX_RANK],
        element_bytes: 0,
        allocation: None,
        elements: None,
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

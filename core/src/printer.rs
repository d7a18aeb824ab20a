//! [`Printer`]: lines that kernels report, printed on the host.

use core::fmt::{self, Display, Write as _};

use spelt_access::{Covers, Description, Element, KernelArg, Line, PrinterAccess, RawView, Right};

use crate::Result;
use crate::arguments::describe;
use crate::launch::ExecutionSpace;
use crate::view::{HostSpace, MemorySpace, View, deep_copy_scalar};

/// Prints from kernels: an iteration reports values at its index, and the host formats them after the launch.
///
/// The argument is `&mut printer`; the kernel gets a [`PrinterAccess`], whose [`line`](PrinterAccess::line) takes the witness and a value,
/// an array or tuple for several. [`print`](Self::print) writes a line for each call, in the order of the indices, and for one index in
/// the order of the calls. `R` is the rank of the witnesses: 1 in a range and in `team.single`, 2 for the pairs of a team.
///
/// The buffer has room for a number of lines. If there are more, the first ones in this order are kept, and a last line says that others
/// were dropped. So the text is the same on every space and for every number of threads. In a scan, report lines only where `last` is true.
/// After a panic in a kernel, the buffer has the lines of the iterations that ran before it, which may depend on the threads.
///
/// # Examples
/// ```
/// use spelt_core::{ExecutionSpace, Printer, Serial, View, parallel_for};
/// let space = Serial::new();
/// let x = View::from_vec("x", [4], vec![1.5, -2.0, 3.0, -4.5])?;
/// let mut negative = Printer::new(&space, "negative", 100)?;
/// parallel_for("check", space.range(0..4), (&x, &mut negative), |i, (x, mut print)| {
///     if x[i] < 0.0 {
///         print.line(i, x[i]);
///     }
/// })?;
/// assert_eq!(negative.text(|[i], x| format!("x[{i}] = {x}"))?, "x[1] = -2\nx[3] = -4.5\n");
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub struct Printer<T: Element, const R: usize, M: MemorySpace = HostSpace> {
    /// The last place tells that a line was dropped.
    lines: View<Line<T, R>, 1, M>,
}

impl<T: Element, const R: usize, M: MemorySpace> Printer<T, R, M> {
    /// A buffer for `room` lines of kernels on `space`.
    ///
    /// # Errors
    /// As [`ExecutionSpace::zeros`].
    ///
    /// # Complexity
    /// O(room).
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{Printer, Serial};
    /// let printer = Printer::<f64, 1>::new(&Serial::new(), "negative", 100)?;
    /// assert_eq!((printer.label(), printer.room()), ("negative", 100));
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn new<S: ExecutionSpace<Memory = M>>(
        space: &S,
        label: impl Into<String>,
        room: usize,
    ) -> Result<Self> {
        Ok(Self { lines: space.zeros(label, [room.saturating_add(1)])? })
    }

    /// The label: its name in messages.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{Printer, Serial};
    /// assert_eq!(Printer::<f64, 1>::new(&Serial::new(), "negative", 9)?.label(), "negative");
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    pub fn label(&self) -> &str {
        self.lines.label()
    }

    /// The number of lines for which there is room.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{Printer, Serial};
    /// assert_eq!(Printer::<f64, 1>::new(&Serial::new(), "negative", 9)?.room(), 9);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    pub fn room(&self) -> usize {
        self.lines.len() - 1
    }

    /// Waits for the launches that report here, empties the buffer, and returns its lines as text, each formatted by `format`.
    ///
    /// # Errors
    /// The error of a pending launch on a device; [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory) if the host has no memory for
    /// the lines.
    ///
    /// # Complexity
    /// O(room).
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, Printer, Serial, parallel_for};
    /// let space = Serial::new();
    /// let mut squares = Printer::new(&space, "squares", 2)?;
    /// parallel_for("square", space.range(0..9), &mut squares, |i, mut print| print.line(i, i.get() * i.get()))?;
    /// let text = squares.text(|[i], square| format!("{i}: {square}"))?;
    /// assert_eq!(text, "0: 0\n1: 1\nsquares: later lines were dropped, there is room for 2\n");
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn text<D: Display>(&mut self, mut format: impl FnMut([usize; R], T) -> D) -> Result<String> {
        let lines = self.lines.to_host()?;
        deep_copy_scalar(&mut self.lines, Line::<T, R>::ALL_BYTES_ZERO)?;
        let room = self.room();
        let mut text = String::new();
        for &(index, _, value) in lines.iter().take(room).take_while(|line| line.1 != 0) {
            writeln!(text, "{}", format(index, value)).expect("a String takes every text");
        }
        if lines[room].1 != 0 {
            writeln!(text, "{}: later lines were dropped, there is room for {room}", self.label())
                .expect("a String takes every text");
        }
        Ok(text)
    }

    /// Prints the lines to standard output, as [`text`](Self::text) returns them.
    ///
    /// # Errors
    /// As [`text`](Self::text).
    ///
    /// # Panics
    /// If standard output cannot be written, as [`print!`].
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, Printer, Serial, parallel_for};
    /// let space = Serial::new();
    /// let mut pairs = Printer::new(&space, "pairs", 100)?;
    /// parallel_for("pairs", space.md_range([0..2, 0..2]), &mut pairs, |i, mut print| print.line(i, true))?;
    /// pairs.print(|[i, j], _| format!("({i}, {j})"))?;
    /// assert_eq!(pairs.text(|_, _| "")?, "", "it is empty now");
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn print<D: Display>(&mut self, format: impl FnMut([usize; R], T) -> D) -> Result<()> {
        print!("{}", self.text(format)?);
        Ok(())
    }
}

impl<T: Element, const R: usize, M: MemorySpace> fmt::Debug for Printer<T, R, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Printer")
            .field("label", &self.label())
            .field("room", &self.room())
            .finish_non_exhaustive()
    }
}

// SAFETY: the accessor changes the buffer, which is borrowed exclusively, only atomically and within its extents.
unsafe impl<T: Element, const R: usize, M: MemorySpace> KernelArg for &mut Printer<T, R, M> {
    type Raw = RawView<Line<T, R>, 1, Right>;
    type Access<'k> = PrinterAccess<'k, T, R>;
    type Held = ();
    type Memory = (M, ());
    #[inline(always)]
    fn describe<'a>(&'a self, visit: &mut impl FnMut(Description<'a>)) {
        // The order of lines is that of the threads, so nothing compares them.
        let lines = Description { elements: None, ..describe(self.lines.view()) };
        visit(Description { covers: Covers::Nothing, writes: true, ..lines });
    }
    #[inline(always)]
    unsafe fn lower(&mut self) -> (Self::Raw, ()) {
        (self.lines.raw_mut(), ())
    }
    #[inline(always)]
    unsafe fn access<'k>(raw: &Self::Raw, _part: usize) -> Self::Access<'k> {
        // SAFETY: by the contract of `access`, the borrow lives; it is exclusive, so only accessors of this launch use the buffer.
        unsafe { PrinterAccess::new(*raw) }
    }
}

//! [`Timer`]: the time that the work of a space takes.

use std::time::{Duration, Instant};

use crate::Result;
use crate::launch::ExecutionSpace;

/// Measures the time that the work of a space takes: Kokkos's `Timer`, with the fences that a measurement needs.
///
/// It starts when the space has finished its earlier work, and is read when the space has finished the work launched since. So it also
/// counts the time of launches that return before their kernels have run.
///
/// # Errors
/// The methods return the error of a pending launch, as [`ExecutionSpace::fence`] does.
///
/// # Examples
/// ```
/// use spelt_core::{ExecutionSpace, Serial, Timer, parallel_for};
/// let space = Serial::new();
/// let mut y = space.zeros::<f64, 1>("y", [1000])?;
/// let mut timer = Timer::new(&space)?;
/// parallel_for("set", space.range(0..1000), &mut y, |i, mut y| y[i] = 1.0)?;
/// assert!(timer.seconds()? >= 0.0);
/// timer.reset()?;
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[derive(Debug)]
pub struct Timer<'s, S> {
    space: &'s S,
    start: Instant,
}

impl<'s, S: ExecutionSpace> Timer<'s, S> {
    /// Waits for the work of `space`, and starts.
    ///
    /// # Errors
    /// The error of a pending launch.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{Serial, Timer};
    /// let space = Serial::new();
    /// let timer = Timer::new(&space)?;
    /// assert!(timer.seconds()? <= timer.seconds()?);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn new(space: &'s S) -> Result<Self> {
        space.fence()?;
        Ok(Self { space, start: Instant::now() })
    }

    /// Waits for the work of the space, and returns the time since the start.
    ///
    /// # Errors
    /// The error of a pending launch.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{Serial, Timer};
    /// let space = Serial::new();
    /// let timer = Timer::new(&space)?;
    /// assert!(timer.elapsed()? <= timer.elapsed()?);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn elapsed(&self) -> Result<Duration> {
        self.space.fence()?;
        Ok(self.start.elapsed())
    }

    /// [`elapsed`](Self::elapsed), in seconds.
    ///
    /// # Errors
    /// The error of a pending launch.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{Serial, Timer};
    /// let space = Serial::new();
    /// assert!(Timer::new(&space)?.seconds()? >= 0.0);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn seconds(&self) -> Result<f64> {
        Ok(self.elapsed()?.as_secs_f64())
    }

    /// Waits for the work of the space, and starts again.
    ///
    /// # Errors
    /// The error of a pending launch.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{Serial, Timer};
    /// let space = Serial::new();
    /// let (outer, mut timer) = (Timer::new(&space)?, Timer::new(&space)?);
    /// timer.reset()?;
    /// assert!(timer.elapsed()? <= outer.elapsed()?);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn reset(&mut self) -> Result<()> {
        *self = Self::new(self.space)?;
        Ok(())
    }
}

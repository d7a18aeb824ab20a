//! [`Mirrored`]: a View on the host and one in the memory of a space, each of which is brought up to date when it is borrowed.

use core::any::Any;
use core::fmt;

use spelt_core::tools::{Mirroring, tell_of_mirror};
use spelt_core::{
    Element, ExecutionSpace, HostSpace, Layout, MemorySpace, Result, Right, View, ViewMut, ViewRef, deep_copy,
};

/// A View on the host and a View in the memory of a space with the same elements: Kokkos's `DualView`.
///
/// Each side has a version. To borrow a side is to bring it up to date: [`host`](Self::host) and [`device`](Self::device) copy if the
/// other side is newer, [`host_mut`](Self::host_mut) and [`device_mut`](Self::device_mut) also make the side the newer one. So no mark is
/// forgotten, both sides are never changed at once, and no copy is made twice. A copy counts as made when it has succeeded.
///
/// On host spaces, and wherever `M` is the [`HostSpace`], both sides are one View, and nothing is copied. The sides are lent as [`ViewRef`]
/// and [`ViewMut`], so their extents remain equal.
///
/// # Examples
/// ```
/// use spelt_containers::Mirrored;
/// use spelt_core::{ExecutionSpace, Result, Serial, parallel_for};
/// fn push<S: ExecutionSpace>(space: &S) -> Result<f64> {
///     let mut x = Mirrored::zeros(space, "x", [100])?;
///     x.host_mut()?[7] = 2.5;
///     // Copied to a device here, if the space is one.
///     parallel_for("push", space.range(0..100), x.device_mut()?, |i, mut x| x[i] += 1.0)?;
///     // And back here.
///     Ok(x.host()?[7])
/// }
/// assert_eq!(push(&Serial::new())?, 3.5);
/// # Ok::<(), spelt_core::Error>(())
/// ```
///
/// One side at a time is borrowed:
/// ```compile_fail
/// use spelt_containers::Mirrored;
/// use spelt_core::Serial;
/// let mut x = Mirrored::<f64, 1>::zeros(&Serial::new(), "x", [3])?;
/// let host = x.host()?;
/// x.device_mut()?;
/// println!("{}", host[0]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub struct Mirrored<T: Element, const R: usize, M: MemorySpace = HostSpace, L: Layout = Right> {
    device: View<T, R, M, L>,
    /// `None` if `device` is memory of the host. The extents are those of `device`.
    host: Option<View<T, R, HostSpace, L>>,
    /// The side with the larger version has the current elements; with equal versions both have.
    host_version: u64,
    device_version: u64,
}

impl<T: Element, const R: usize, M: MemorySpace> Mirrored<T, R, M> {
    /// Zeros on both sides.
    ///
    /// # Errors
    /// As [`ExecutionSpace::zeros`].
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Mirrored;
    /// use spelt_core::Serial;
    /// let mut x = Mirrored::<f64, 2>::zeros(&Serial::new(), "x", [3, 4])?;
    /// assert_eq!((x.extents(), x.host()?[[2, 3]]), ([3, 4], 0.0));
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn zeros<S: ExecutionSpace<Memory = M>>(
        space: &S,
        label: impl Into<String>,
        extents: [usize; R],
    ) -> Result<Self> {
        Self::zeros_in(space, Right, label, extents)
    }
}

impl<T: Element, const R: usize, M: MemorySpace, L: Layout> Mirrored<T, R, M, L> {
    /// [`zeros`](Self::zeros) with another layout.
    ///
    /// # Errors
    /// As [`ExecutionSpace::zeros`].
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Mirrored;
    /// use spelt_core::{Left, Serial};
    /// let mut x = Mirrored::<f64, 2, _, _>::zeros_in(&Serial::new(), Left, "x", [3, 4])?;
    /// assert_eq!(x.host()?.strides(), [1, 3]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn zeros_in<S: ExecutionSpace<Memory = M>>(
        space: &S,
        layout: L,
        label: impl Into<String>,
        extents: [usize; R],
    ) -> Result<Self> {
        Self::from_device(space.zeros_in(layout, label, extents)?).map(|mut zeros| {
            zeros.host_version = zeros.device_version;
            zeros
        })
    }

    /// The elements of a View on the host; the first borrow of the other side copies them.
    ///
    /// # Errors
    /// As [`ExecutionSpace::zeros`].
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Mirrored;
    /// use spelt_core::{Serial, View};
    /// let mut x = Mirrored::from_view(&Serial::new(), View::from_vec("x", [2], vec![1, 2])?)?;
    /// assert_eq!(x.device()?.to_vec(), [1, 2]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn from_view<S: ExecutionSpace<Memory = M>>(
        space: &S,
        view: View<T, R, HostSpace, L>,
    ) -> Result<Self> {
        match same::<_, View<T, R, M, L>>(view) {
            Ok(device) => Ok(Self { device, host: None, host_version: 0, device_version: 0 }),
            Err(host) => {
                let device = space.zeros_in(L::default(), host.label(), host.extents())?;
                Ok(Self { device, host: Some(host), host_version: 1, device_version: 0 })
            }
        }
    }

    /// The elements of a View in the memory of a space; the first borrow of the host's side copies them.
    ///
    /// # Errors
    /// As [`View::zeros`].
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Mirrored;
    /// use spelt_core::{ExecutionSpace, Serial};
    /// let mut x = Mirrored::from_device(Serial::new().view_from_fn("x", [3], |[i]| i)?)?;
    /// assert_eq!(x.host()?.to_vec(), [0, 1, 2]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn from_device(device: View<T, R, M, L>) -> Result<Self> {
        let host = match as_host(&device) {
            Some(_) => None,
            None => Some(device.host_mirror()?),
        };
        Ok(Self { device, host, host_version: 0, device_version: 1 })
    }

    /// The label of both sides.
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Mirrored;
    /// use spelt_core::Serial;
    /// assert_eq!(Mirrored::<f64, 1>::zeros(&Serial::new(), "x", [3])?.label(), "x");
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    pub fn label(&self) -> &str {
        self.device.label()
    }

    /// The extents of both sides.
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Mirrored;
    /// use spelt_core::Serial;
    /// assert_eq!(Mirrored::<f64, 1>::zeros(&Serial::new(), "x", [3])?.extents(), [3]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    pub fn extents(&self) -> [usize; R] {
        self.device.extents()
    }

    /// The host's side, up to date, to read.
    ///
    /// # Errors
    /// Any error that a device reports: of the copy, or of earlier work. The other side stays the newer one.
    ///
    /// # Complexity
    /// O(1), and a copy of all elements if the other side is newer.
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Mirrored;
    /// use spelt_core::Serial;
    /// let mut x = Mirrored::<f64, 1>::zeros(&Serial::new(), "x", [3])?;
    /// assert_eq!(x.host()?.iter().sum::<f64>(), 0.0);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn host(&mut self) -> Result<ViewRef<'_, T, R, HostSpace, L>> {
        self.sync_host()?;
        Ok(match &self.host {
            Some(host) => host.view(),
            None => as_host(&self.device).expect("without another side it is the host's").view(),
        })
    }

    /// The host's side, up to date, to change: it is the newer side from now on.
    ///
    /// # Errors
    /// As [`host`](Self::host).
    ///
    /// # Complexity
    /// As [`host`](Self::host).
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Mirrored;
    /// use spelt_core::Serial;
    /// let mut x = Mirrored::<f64, 1>::zeros(&Serial::new(), "x", [3])?;
    /// x.host_mut()?.fill(1.5);
    /// assert_eq!(x.device()?.to_host()?.to_vec(), [1.5; 3]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn host_mut(&mut self) -> Result<ViewMut<'_, T, R, HostSpace, L>> {
        self.sync_host()?;
        self.host_version = self.host_version.max(self.device_version) + 1;
        self.tell_of_host(Mirroring::Modified);
        Ok(match &mut self.host {
            Some(host) => host.view_mut(),
            None => as_host_mut(&mut self.device).expect("without another side it is the host's").view_mut(),
        })
    }

    /// The side of the space, up to date, to read.
    ///
    /// # Errors
    /// Any error of the copy; the host's side stays the newer one.
    ///
    /// # Complexity
    /// As [`host`](Self::host).
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Mirrored;
    /// use spelt_core::{ExecutionSpace, Serial, View, parallel_map_reduce, reducers::Sum};
    /// let space = Serial::new();
    /// let mut x = Mirrored::from_view(&space, View::from_vec("x", [2], vec![3, 4])?)?;
    /// assert_eq!(parallel_map_reduce("sum", space.range(0..2), x.device()?, |i, x| x[i], Sum::<i32>::new())?, 7);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn device(&mut self) -> Result<ViewRef<'_, T, R, M, L>> {
        self.sync_device()?;
        Ok(self.device.view())
    }

    /// The side of the space, up to date, to change: it is the newer side from now on.
    ///
    /// # Errors
    /// As [`device`](Self::device).
    ///
    /// # Complexity
    /// As [`host`](Self::host).
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Mirrored;
    /// use spelt_core::{ExecutionSpace, Serial, parallel_for};
    /// let space = Serial::new();
    /// let mut x = Mirrored::<usize, 1>::zeros(&space, "x", [3])?;
    /// parallel_for("number", space.range(0..3), x.device_mut()?, |i, mut x| x[i] = i.get())?;
    /// assert_eq!(x.host()?.to_vec(), [0, 1, 2]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn device_mut(&mut self) -> Result<ViewMut<'_, T, R, M, L>> {
        self.sync_device()?;
        self.device_version = self.host_version.max(self.device_version) + 1;
        self.tell_of_device(Mirroring::Modified);
        Ok(self.device.view_mut())
    }

    /// Whether both sides have the current elements: the next borrow of either copies nothing.
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Mirrored;
    /// use spelt_core::Serial;
    /// let mut x = Mirrored::<f64, 1>::zeros(&Serial::new(), "x", [3])?;
    /// x.host_mut()?[0] = 1.0;
    /// assert!(x.is_synced(), "on a host space both sides are one View");
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    pub fn is_synced(&self) -> bool {
        self.host.is_none() || self.host_version == self.device_version
    }

    /// The host's side if it is up to date, without a copy.
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Mirrored;
    /// use spelt_core::Serial;
    /// let mut x = Mirrored::<f64, 1>::zeros(&Serial::new(), "x", [3])?;
    /// x.host_mut()?[0] = 1.0;
    /// assert_eq!(x.peek_host().map(|x| x[0]), Some(1.0));
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    pub fn peek_host(&self) -> Option<ViewRef<'_, T, R, HostSpace, L>> {
        match &self.host {
            Some(host) => (self.host_version >= self.device_version).then(|| host.view()),
            None => as_host(&self.device).map(View::view),
        }
    }

    /// The side of the space if it is up to date, without a copy.
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Mirrored;
    /// use spelt_core::Serial;
    /// let x = Mirrored::<f64, 1>::zeros(&Serial::new(), "x", [3])?;
    /// assert!(x.peek_device().is_some());
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    pub fn peek_device(&self) -> Option<ViewRef<'_, T, R, M, L>> {
        (self.host.is_none() || self.device_version >= self.host_version).then(|| self.device.view())
    }

    /// Drops the changes of the host's side that have not been copied, so that [`device_mut`](Self::device_mut) copies nothing: for a side
    /// that will be written as a whole.
    ///
    /// Where both sides are one View the changes stay. So write each element before it is read, and the results are the same
    /// everywhere.
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Mirrored;
    /// use spelt_core::{ExecutionSpace, Serial, parallel_for};
    /// let space = Serial::new();
    /// let mut x = Mirrored::<usize, 1>::zeros(&space, "x", [3])?;
    /// x.host_mut()?.fill(9);
    /// x.discard_host();
    /// parallel_for("number", space.range(0..3), x.device_mut()?, |i, mut x| x[i] = i.get())?;
    /// assert_eq!(x.host()?.to_vec(), [0, 1, 2]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn discard_host(&mut self) {
        if self.host_version > self.device_version {
            self.device_version = self.host_version + 1;
        }
    }

    /// Drops the changes of the side of the space that have not been copied, as [`discard_host`](Self::discard_host) does for the host.
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Mirrored;
    /// use spelt_core::Serial;
    /// let mut x = Mirrored::<i32, 1>::zeros(&Serial::new(), "x", [3])?;
    /// x.device_mut()?.fill(9);
    /// x.discard_device();
    /// x.host_mut()?.fill(7);
    /// assert_eq!(x.device()?.to_host()?.to_vec(), [7; 3]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn discard_device(&mut self) {
        if self.device_version > self.host_version {
            self.host_version = self.device_version + 1;
        }
    }

    /// Changes the extents of both sides and keeps the elements at indices that both extents have; new ones are zero.
    ///
    /// # Errors
    /// Those of [`host`](Self::host), and of [`ExecutionSpace::zeros`]. Extents and elements are unchanged then.
    ///
    /// # Complexity
    /// O(old and new len) on the calling thread, and a copy from the other side if it is newer.
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Mirrored;
    /// use spelt_core::{Serial, View};
    /// let space = Serial::new();
    /// let mut x = Mirrored::from_view(&space, View::from_vec("x", [2], vec![1, 2])?)?;
    /// x.resize(&space, [3])?;
    /// assert_eq!(x.device()?.to_host()?.to_vec(), [1, 2, 0]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn resize<S: ExecutionSpace<Memory = M>>(&mut self, space: &S, extents: [usize; R]) -> Result<()> {
        if extents == self.extents() {
            return Ok(());
        }
        if self.host.is_none() {
            return as_host_mut(&mut self.device)
                .expect("without another side it is the host's")
                .resize(extents);
        }
        let device = space.zeros_in(L::default(), self.label(), extents)?;
        self.sync_host()?;
        if let Some(host) = &mut self.host {
            host.resize(extents)?;
        }
        self.device = device;
        self.host_version = self.host_version.max(self.device_version) + 1;
        Ok(())
    }

    /// The host's side, up to date, as a View of its own; the other side is dropped. After an error both are lost.
    ///
    /// # Errors
    /// As [`host`](Self::host).
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Mirrored;
    /// use spelt_core::Serial;
    /// let view = Mirrored::<f64, 1>::zeros(&Serial::new(), "x", [3])?.into_host()?;
    /// assert_eq!(view.to_vec(), [0.0; 3]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn into_host(mut self) -> Result<View<T, R, HostSpace, L>> {
        self.sync_host()?;
        match self.host {
            Some(host) => Ok(host),
            None => Ok(same(self.device).ok().expect("without another side it is the host's")),
        }
    }

    /// The side of the space, up to date, as a View of its own; the other side is dropped. After an error both are lost.
    ///
    /// # Errors
    /// As [`device`](Self::device).
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Mirrored;
    /// use spelt_core::Serial;
    /// let view = Mirrored::<f64, 1>::zeros(&Serial::new(), "x", [3])?.into_device()?;
    /// assert_eq!(view.label(), "x");
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn into_device(mut self) -> Result<View<T, R, M, L>> {
        self.sync_device()?;
        Ok(self.device)
    }

    /// Copies to the host if the other side is newer.
    fn sync_host(&mut self) -> Result<()> {
        if let Some(host) = &mut self.host
            && self.device_version > self.host_version
        {
            deep_copy(host, &self.device)?;
            self.host_version = self.device_version;
            self.tell_of_host(Mirroring::Synced);
        }
        Ok(())
    }

    /// Copies from the host if its side is newer.
    fn sync_device(&mut self) -> Result<()> {
        if let Some(host) = &self.host
            && self.host_version > self.device_version
        {
            deep_copy(&mut self.device, host)?;
            self.device_version = self.host_version;
            self.tell_of_device(Mirroring::Synced);
        }
        Ok(())
    }

    /// Tells tools of the host's side, if there are two.
    fn tell_of_host(&self, happens: Mirroring) {
        if let Some(host) = &self.host {
            let address = host.raw().pointer().addr();
            tell_of_mirror(happens, self.label(), HostSpace::NAME, address, false);
        }
    }

    /// Tells tools of the side of the space, if there are two.
    fn tell_of_device(&self, happens: Mirroring) {
        if self.host.is_some() {
            let address = self.device.raw().pointer().addr();
            tell_of_mirror(happens, self.label(), M::NAME, address, true);
        }
    }
}

/// The value, if both are one type.
fn same<A: 'static, B: 'static>(value: A) -> Result<B, A> {
    let mut value = Some(value);
    let taken = (&mut value as &mut dyn Any).downcast_mut::<Option<B>>().and_then(Option::take);
    taken.ok_or_else(|| value.expect("it was not taken"))
}

/// The View, if `M` is the memory of the host.
fn as_host<T: Element, const R: usize, M: MemorySpace, L: Layout>(
    view: &View<T, R, M, L>,
) -> Option<&View<T, R, HostSpace, L>> {
    (view as &dyn Any).downcast_ref()
}

/// The View, if `M` is the memory of the host.
fn as_host_mut<T: Element, const R: usize, M: MemorySpace, L: Layout>(
    view: &mut View<T, R, M, L>,
) -> Option<&mut View<T, R, HostSpace, L>> {
    (view as &mut dyn Any).downcast_mut()
}

impl<T: Element, const R: usize, M: MemorySpace, L: Layout> fmt::Debug for Mirrored<T, R, M, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mirrored")
            .field("label", &self.label())
            .field("extents", &self.extents())
            .field("is_synced", &self.is_synced())
            .finish_non_exhaustive()
    }
}

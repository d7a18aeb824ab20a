//! The launches that follow a node.

use core::fmt;

use spelt_access::{Element, KernelArgs, Layout};
use spelt_reducers::Reducer;

use super::on_instance::OnInstance;
use super::record::What;
use super::replay::{AtNode, Run};
use crate::launch::{ExecutionSpace, Storing};
use crate::patterns::{ForPolicy, ReducePolicy, ScanPolicy};
use crate::reach::{Reach, ReachedBy};
use crate::view::{MemorySpace, View};
use crate::{Error, ErrorKind, Result};

/// A node of a replay of a [`Graph`](super::Graph): the root, a launch, or several nodes together. Kokkos's `GraphNodeRef`.
///
/// Its methods launch what follows it, and return the new node. A node lives as long as its replay.
///
/// # Examples
/// ```
/// use spelt_core::{ExecutionSpace, Graph, Serial};
/// let space = Serial::new();
/// let mut x = space.zeros::<i32, 1>("x", [10])?;
/// Graph::new(&space).replay(|root| {
///     let add = root.then_parallel_for("add", space.range(0..10), &mut x, move |i, mut x| x[i] += 1)?;
///     add.then_parallel_for("double", space.range(0..10), &mut x, move |i, mut x| x[i] *= 2)?;
///     Ok(())
/// })?;
/// assert_eq!(x[9], 2);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub struct Node<'r, S> {
    run: &'r Run<'r, S>,
    /// Its number; the root has none.
    number: Option<usize>,
}

impl<S> Clone for Node<'_, S> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<S> Copy for Node<'_, S> {}

impl<S> fmt::Debug for Node<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.number {
            None => f.write_str("Node(root)"),
            Some(number) => write!(f, "Node({number})"),
        }
    }
}

impl<'r, S: ExecutionSpace> Node<'r, S> {
    /// The root of a replay.
    pub(super) fn root(run: &'r Run<'r, S>) -> Self {
        Self { run, number: None }
    }

    /// The next node, which follows this one: `launch` runs on its instance.
    #[inline]
    fn next(
        self,
        label: &str,
        what: What,
        launch: impl FnOnce(AtNode<'_>, &'r S) -> Result<()>,
    ) -> Result<Self> {
        let (number, instance) = self.run.step(label, what, self.number.as_slice())?;
        match launch(self.run.site(label, number), instance) {
            Ok(()) => Ok(Self { run: self.run, number: Some(number) }),
            Err(error) => {
                self.run.fail(number);
                Err(error)
            }
        }
    }

    /// A [`parallel_for`](crate::parallel_for()) that follows this node.
    ///
    /// It runs on the node's instance of the graph's space, whichever instance the policy names.
    ///
    /// # Errors
    /// As [`parallel_for`](crate::parallel_for()). [`ErrorKind::Policy`] if the first replay had another node here, or other indices;
    /// [`ErrorKind::Extents`] if it had arguments of other extents. Both name the values, and nothing has run.
    ///
    /// # Panics
    /// As [`parallel_for`](crate::parallel_for()).
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ErrorKind, ExecutionSpace, Graph, Serial};
    /// let space = Serial::new();
    /// let mut graph = Graph::new(&space);
    /// let mut add = |n: usize| {
    ///     let mut x = space.zeros::<i32, 1>("x", [n])?;
    ///     graph.replay(|root| root.then_parallel_for("add", space.range(0..10), &mut x, move |i, mut x| x[i] += 1).map(|_| ()))
    /// };
    /// add(10)?;
    /// add(10)?;
    /// assert_eq!(add(11).unwrap_err().kind(), ErrorKind::Extents);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[inline]
    pub fn then_parallel_for<P, A, F>(self, label: &str, policy: P, args: A, closure: F) -> Result<Self>
    where
        P: OnInstance<Space = S>,
        P::On<'r>: ForPolicy<A, F>,
        A: KernelArgs + ReachedBy<S>,
    {
        self.next(label, What::For, |site, instance| policy.on_instance(instance).launch(site, args, closure))
    }

    /// A [`parallel_reduce_into`](crate::parallel_reduce_into()) that follows this node.
    ///
    /// It runs on the node's instance of the graph's space, whichever instance the policy names.
    ///
    /// # Errors
    /// As [`then_parallel_for`](Self::then_parallel_for).
    ///
    /// # Panics
    /// As [`parallel_reduce`](crate::parallel_reduce()).
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, Graph, Serial, reducers::Sum};
    /// let space = Serial::new();
    /// let mut sum = space.zeros::<usize, 0>("sum", [])?;
    /// Graph::new(&space).replay(|root| {
    ///     root.then_parallel_reduce("sum", space.range(0..5), (), move |i, sum, ()| *sum += i.get(), Sum::<usize>::new(), &mut sum)?;
    ///     Ok(())
    /// })?;
    /// assert_eq!(sum[[]], 10);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[inline]
    pub fn then_parallel_reduce<P, A, F, R, M, L>(
        self,
        label: &str,
        policy: P,
        args: A,
        closure: F,
        reducer: R,
        result: &mut View<R::Output, 0, M, L>,
    ) -> Result<Self>
    where
        R: Reducer,
        R::Output: Element,
        P: OnInstance<Space = S>,
        P::On<'r>: ReducePolicy<A, F, R>,
        A: KernelArgs + ReachedBy<S>,
        S: Reach<M>,
        M: MemorySpace,
        L: Layout,
    {
        self.next(label, What::Reduce, |site, instance| {
            policy.on_instance(instance).reduce(site, args, closure, reducer, Storing::new(result))
        })
    }

    /// A [`parallel_scan_into`](crate::parallel_scan_into()) that follows this node.
    ///
    /// It runs on the node's instance of the graph's space, whichever instance the policy names.
    ///
    /// # Errors
    /// As [`then_parallel_for`](Self::then_parallel_for).
    ///
    /// # Panics
    /// As [`parallel_scan`](crate::parallel_scan()).
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, Graph, Serial, reducers::Sum};
    /// let space = Serial::new();
    /// let mut before = space.zeros::<usize, 1>("before", [5])?;
    /// let mut total = space.zeros::<usize, 0>("total", [])?;
    /// Graph::new(&space).replay(|root| {
    ///     root.then_parallel_scan("before", space.range(0..5), &mut before, move |i, sum, last, mut before| {
    ///         if last {
    ///             before[i] = *sum;
    ///         }
    ///         *sum += i.get();
    ///     }, Sum::<usize>::new(), &mut total)?;
    ///     Ok(())
    /// })?;
    /// assert_eq!((before[4], total[[]]), (6, 10));
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[inline]
    pub fn then_parallel_scan<P, A, F, R, M, L>(
        self,
        label: &str,
        policy: P,
        args: A,
        closure: F,
        reducer: R,
        total: &mut View<R::Output, 0, M, L>,
    ) -> Result<Self>
    where
        R: Reducer,
        R::Output: Element,
        P: OnInstance<Space = S>,
        P::On<'r>: ScanPolicy<A, F, R>,
        A: KernelArgs + ReachedBy<S>,
        S: Reach<M>,
        M: MemorySpace,
        L: Layout,
    {
        self.next(label, What::Scan, |site, instance| {
            policy.on_instance(instance).scan(site, args, closure, reducer, Storing::new(total))
        })
    }

    /// Host code that follows this node: copies, algorithms, other launches, and what Kokkos's `then_host` does.
    ///
    /// `work` runs now, on the calling thread, and gets the node's instance: what it launches there comes after this node on a device too.
    /// Views wait for the launches that use them. What it launches is not compared with the first replay, but checked as anywhere.
    ///
    /// # Errors
    /// Those of `work`; [`ErrorKind::Policy`] if the first replay had another node here.
    ///
    /// # Panics
    /// If `work` does.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, Graph, Serial};
    /// let space = Serial::new();
    /// let x = space.view_from_fn("x", [10], |[i]| i)?;
    /// let mut y = space.zeros::<usize, 1>("y", [10])?;
    /// Graph::new(&space).replay(|root| {
    ///     let copy = root.then("copy", |instance| instance.deep_copy(&mut y, &x))?;
    ///     copy.then("say so", |_| Ok(println!("copied")))?;
    ///     Ok(())
    /// })?;
    /// assert_eq!(y[9], 9);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn then(self, label: &str, work: impl FnOnce(&S) -> Result<()>) -> Result<Self> {
        self.next(label, What::Then, |_, instance| work(instance))
    }
}

/// A node that follows all of `nodes`, which are of one replay: Kokkos's `when_all`.
///
/// # Errors
/// [`ErrorKind::Policy`] if there are no nodes, if they are of several graphs, or if the first replay had another node here.
///
/// # Examples
/// ```
/// use spelt_core::{ExecutionSpace, Graph, Serial, when_all};
/// let space = Serial::new();
/// let (mut x, mut y) = (space.zeros::<i32, 1>("x", [9])?, space.zeros::<i32, 1>("y", [9])?);
/// Graph::new(&space).replay(|root| {
///     let first = root.then_parallel_for("x", space.range(0..9), &mut x, move |i, mut x| x[i] = 2)?;
///     let second = root.then_parallel_for("y", space.range(0..9), &mut y, move |i, mut y| y[i] = 3)?;
///     let args = (&x, &mut y);
///     when_all(&[first, second])?.then_parallel_for("both", space.range(0..9), args, move |i, (x, mut y)| y[i] += x[i])?;
///     Ok(())
/// })?;
/// assert_eq!(y[8], 5);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn when_all<'r, S: ExecutionSpace>(nodes: &[Node<'r, S>]) -> Result<Node<'r, S>> {
    let wrong = |message: &str| Error::new(ErrorKind::Policy, message);
    let Some(first) = nodes.first() else {
        return Err(wrong("when_all of no nodes: give the nodes that the next one follows, or use the root"));
    };
    if nodes.iter().any(|node| !core::ptr::eq(node.run, first.run)) {
        return Err(wrong("when_all of nodes of several graphs: give nodes of one replay"));
    }
    // The root comes before every node.
    let after: Vec<usize> = nodes.iter().filter_map(|node| node.number).collect();
    let (number, _) = first.run.step("when_all", What::WhenAll, &after)?;
    Ok(Node { run: first.run, number: Some(number) })
}

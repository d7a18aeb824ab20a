//! The nodes of a replay, compared with those of the first.

use core::cell::RefCell;
use core::fmt;

use spelt_access::KernelArgs;

use super::lanes::Lanes;
use super::node::Node;
use super::record::{Launch, Step, What};
use crate::launch::{Corners, Domain, ExecutionSpace, Site, SiteSealed};
use crate::{Error, ErrorKind, Result};

/// A graph of launches: checked and recorded in its first replay, then replayed with other arguments. Kokkos's `Graph`.
///
/// [`replay`](Self::replay) runs a closure that gets the root [`Node`] and makes each node from those that it follows. A node is launched
/// where it is made, so each replay gives its arguments: Views of double buffers take turns. Later replays must have the same
/// nodes, with the same labels, order, indices and extents. That comparison replaces the check that arguments cover the indices.
///
/// - **On a host** the nodes run one after the other, each on all threads, and with the same bits as other launches. A replay is not faster
///   than the launches would be: the comparison takes 0.05 microseconds for a node of two Views, and the check of coverage that it replaces
///   less.
/// - **On a device** branches that do not follow one another run beside one another, on instances that the graph makes and keeps. Work
///   that is launched on the space before a replay comes before its nodes, and later work after all of them. Nodes that use one View wait for
///   one another regardless of the graph, as all launches do.
///
/// After an error or a panic in a replay, the next one begins at its first node. As long as no replay has succeeded, the next one is the first.
///
/// # Examples
/// ```
/// use spelt_core::{ExecutionSpace, Graph, Serial, reducers::Sum, when_all};
/// let (space, n) = (Serial::new(), 100);
/// let mut now = space.view_from_fn("now", [n], |[i]| i as f64)?;
/// let mut next = space.zeros::<f64, 1>("next", [n])?;
/// let mut squares = space.zeros::<f64, 1>("squares", [n])?;
/// let mut sum = space.zeros::<f64, 0>("sum", [])?;
/// let mut graph = Graph::new(&space);
/// for _ in 0..3 {
///     graph.replay(|root| {
///         let half = root.then_parallel_for("half", space.range(0..n), (&now, &mut next), move |i, (now, mut next)| {
///             next[i] = 0.5 * now[i];
///         })?;
///         let square = root.then_parallel_for("square", space.range(0..n), (&now, &mut squares), move |i, (now, mut squares)| {
///             squares[i] = now[i] * now[i];
///         })?;
///         when_all(&[half, square])?.then_parallel_reduce("sum", space.range(0..n), (&next, &squares),
///             move |i, sum, (next, squares)| *sum += next[i] + squares[i], Sum::<f64>::new(), &mut sum)?;
///         Ok(())
///     })?;
///     core::mem::swap(&mut now, &mut next);
/// }
/// assert_eq!((graph.len(), now[80], sum[[]]), (4, 10.0, 21_140.625));
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub struct Graph<'s, S> {
    run: Run<'s, S>,
}

/// A graph while it is replayed.
pub(super) struct Run<'s, S> {
    pub(super) lanes: Lanes<'s, S>,
    state: RefCell<State>,
}

/// The nodes, and the progress of a replay.
#[derive(Debug, Default)]
pub(super) struct State {
    steps: Vec<Step>,
    /// Whether a replay has succeeded, so that later ones are compared with it.
    complete: bool,
    /// The number of the next node of this replay.
    next: usize,
    /// The node of this replay that failed first.
    failed: Option<usize>,
    branches: Branches,
}

/// The branches of the first replay, to choose lanes.
#[derive(Debug, Default)]
struct Branches {
    /// The number of lanes that have been given out.
    number: usize,
    /// Whether another node continues the lane of the root, and of each node.
    continued: Vec<bool>,
}

impl<'s, S: ExecutionSpace> Graph<'s, S> {
    /// A graph on `space`, without nodes.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{Graph, Serial};
    /// assert!(Graph::new(&Serial::new()).is_empty());
    /// ```
    #[must_use]
    pub fn new(space: &'s S) -> Self {
        Self { run: Run { lanes: Lanes::new(space), state: RefCell::default() } }
    }

    /// Runs `nodes`, which makes the nodes of the graph from the root, and returns what it returns.
    ///
    /// On a device it returns before the nodes have run.
    ///
    /// # Errors
    /// Those of `nodes`. [`ErrorKind::Policy`] if this replay has other nodes than the first one: fewer, or one that has failed although
    /// `nodes` returned no error. The nodes until then have been launched. Those of the device.
    ///
    /// # Panics
    /// If `nodes` does.
    ///
    /// # Complexity
    /// That of the launches. A node costs some comparisons, O(arguments), and in the first replay allocations.
    ///
    /// # Examples
    /// The nodes cannot leave the replay, but results can:
    /// ```
    /// use spelt_core::{ExecutionSpace, Graph, Serial};
    /// let space = Serial::new();
    /// let mut x = space.zeros::<i32, 1>("x", [10])?;
    /// let mut graph = Graph::new(&space);
    /// for wanted in 1..4 {
    ///     let ninth = graph.replay(|root| {
    ///         root.then_parallel_for("add", space.range(0..10), &mut x, move |i, mut x| x[i] += 1)?;
    ///         Ok(x[9])
    ///     })?;
    ///     assert_eq!(ninth, wanted);
    /// }
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn replay<T>(&mut self, nodes: impl FnOnce(Node<'_, S>) -> Result<T>) -> Result<T> {
        let run = &self.run;
        run.begin();
        let joining = JoinOnUnwind(&run.lanes);
        let output = nodes(Node::root(run));
        core::mem::forget(joining);
        let joined = run.lanes.join();
        let output = output?;
        joined?;
        run.end()?;
        Ok(output)
    }

    /// The number of nodes, the root not counted; 0 before a replay has succeeded.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{Graph, Serial};
    /// let space = Serial::new();
    /// let mut graph = Graph::new(&space);
    /// graph.replay(|root| root.then("say so", |_| Ok(println!("a node"))).map(|_| ()))?;
    /// assert_eq!(graph.len(), 1);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        let state = self.run.state.borrow();
        if state.complete { state.steps.len() } else { 0 }
    }

    /// Whether it has no nodes.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{Graph, Serial};
    /// assert!(Graph::new(&Serial::new()).is_empty());
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<S: ExecutionSpace> fmt::Debug for Graph<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Graph").field("nodes", &self.len()).finish_non_exhaustive()
    }
}

/// Joins the lanes if the closure of a replay unwinds.
struct JoinOnUnwind<'a, 's, S: ExecutionSpace>(&'a Lanes<'s, S>);

impl<S: ExecutionSpace> Drop for JoinOnUnwind<'_, '_, S> {
    fn drop(&mut self) {
        // The next call that waits for the device reports its error again.
        let _ = self.0.join();
    }
}

impl<S: ExecutionSpace> Run<'_, S> {
    /// Begins a replay.
    fn begin(&self) {
        let mut state = self.state.borrow_mut();
        (state.next, state.failed) = (0, None);
        if !state.complete {
            state.steps.clear();
            state.branches = Branches { number: 1, continued: vec![false] };
        }
    }

    /// Ends a replay whose closure has succeeded.
    fn end(&self) -> Result<()> {
        let mut state = self.state.borrow_mut();
        let State { steps, complete, next, failed, .. } = &mut *state;
        if let Some(failed) = *failed {
            let which = steps.get(failed).map_or(String::new(), |step| format!(" `{}`", step.label));
            return Err(Error::new(
                ErrorKind::Policy,
                format!(
                    "node {failed}{which} of this replay failed, and the replay went on: return its error"
                ),
            ));
        }
        if let Some(missing) = steps.get(*next) {
            return Err(Error::new(
                ErrorKind::Policy,
                format!(
                    "this replay has {next} nodes and the graph has {}: the first that is missing is `{}`",
                    steps.len(),
                    missing.label
                ),
            ));
        }
        *complete = true;
        Ok(())
    }

    /// Begins the next node: compares it with that of the first replay, or records it. Returns its number and its instance, which then
    /// waits for the nodes that it follows.
    ///
    /// # Errors
    /// [`ErrorKind::Policy`] if it is another one, or a node of this replay has failed. Those of the device.
    pub(super) fn step(&self, label: &str, what: What, after: &[usize]) -> Result<(usize, &S)> {
        let mut state = self.state.borrow_mut();
        let number = state.next;
        let begun = state.step::<S>(label, what, after).and_then(|()| self.instance(&state, number, after));
        if begun.is_err() {
            state.fail(number);
        }
        Ok((number, begun?))
    }

    /// Notes that a node has failed.
    pub(super) fn fail(&self, number: usize) {
        self.state.borrow_mut().fail(number);
    }

    /// The instance of a node, which waits for those of the nodes that it follows.
    #[inline]
    fn instance(&self, state: &State, number: usize, after: &[usize]) -> Result<&S> {
        if const { !S::IS_DEVICE } {
            return self.lanes.get(0);
        }
        let lane = state.steps[number].lane;
        if after.is_empty() {
            self.lanes.follow(lane, 0)?;
        }
        for &before in after {
            self.lanes.follow(lane, state.steps[before].lane)?;
        }
        self.lanes.get(lane)
    }
}

impl State {
    fn fail(&mut self, number: usize) {
        self.failed = self.failed.or(Some(number));
    }

    /// Compares the next node with that of the first replay, or records it.
    #[inline]
    fn step<S: ExecutionSpace>(&mut self, label: &str, what: What, after: &[usize]) -> Result<()> {
        if let Some(failed) = self.failed {
            return Err(Error::new(
                ErrorKind::Policy,
                format!(
                    "node {failed} of this replay has failed, so that `{label}` is not launched: return the first error"
                ),
            ));
        }
        let number = self.next;
        self.next += 1;
        if !self.complete {
            self.record::<S>(label, what, after);
            return Ok(());
        }
        match self.steps.get(number) {
            Some(step) => step.compare(number, label, what, after),
            None => Err(Error::new(
                ErrorKind::Policy,
                format!(
                    "the graph has {number} nodes, and this replay another one, {what} `{label}`: give the same nodes at \
                     each replay, or make another graph"
                ),
            )),
        }
    }

    #[cold]
    fn record<S: ExecutionSpace>(&mut self, label: &str, what: What, after: &[usize]) {
        let Branches { number, continued } = &mut self.branches;
        // The lane of the root is 0. A node continues that of the first node before it, unless another one does already.
        let (before, lane) = after.first().map_or((0, 0), |&before| (before + 1, self.steps[before].lane));
        let lane = if core::mem::replace(&mut continued[before], true) {
            *number += 1;
            Lanes::<S>::of_branch(*number - 1)
        } else {
            lane
        };
        continued.push(false);
        self.steps.push(Step { label: label.to_owned(), what, after: after.to_vec(), lane, launch: None });
    }
}

/// The site of a node's launch.
#[derive(Clone, Copy)]
pub(super) struct AtNode<'a> {
    label: &'a str,
    number: usize,
    state: &'a RefCell<State>,
}

impl<'s, S> Run<'s, S> {
    /// The site of the launch of node `number`.
    pub(super) fn site<'a>(&'a self, label: &'a str, number: usize) -> AtNode<'a> {
        AtNode { label, number, state: &self.state }
    }
}

impl SiteSealed for AtNode<'_> {}

// SAFETY: arguments that have not been checked are checked. Those of a later replay are compared with arguments that were, over the same
// indices: what their coverage depends on is the same.
unsafe impl Site for AtNode<'_> {
    #[inline(always)]
    fn label(&self) -> &str {
        self.label
    }

    fn check<I: Domain<N>, A: KernelArgs, const N: usize>(
        self,
        policy: &I,
        args: &A,
        corners: &Corners<N>,
    ) -> Result<()> {
        let mut state = self.state.borrow_mut();
        let State { steps, complete, .. } = &mut *state;
        let step = &mut steps[self.number];
        match &step.launch {
            Some(launch) if *complete => launch.compare(self.label, policy, args, corners),
            _ => {
                policy.check_covered(self.label, args, corners)?;
                step.launch = Some(Launch::new(policy, args, corners));
                Ok(())
            }
        }
    }
}

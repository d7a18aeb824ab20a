//! The Views of one transfer by a plan: pairs and triples, tuples and arrays of them.

use spelt_core::reducers::Reducer;
use spelt_core::{
    Element, Error, ErrorKind, ExecutionSpace, Layout, MemorySpace, Portable, Reach, Result, View, ViewMut,
    ViewRef,
};

use super::Plan;
use super::launches::{fill, join, pack};
use super::messages::{Filling, Received, RowsOf};
use crate::views::rows::check_rows;

/// The Views of one transfer by a [`Plan`]: those of [`Plan::forward`] if `D` is [`Forward`], those of [`Plan::back`] if it is [`Back`].
///
/// `K` tells pairs and triples from tuples of them; the compiler finds it.
///
/// # Examples
/// ```
/// use spelt_core::{Result, Serial, View};
/// use spelt_mpi::{Communicator, Forward, Plan, PlannedViews};
/// fn update<K>(plan: &Plan<'_, Serial>, views: impl PlannedViews<Serial, Forward, K>) -> Result<()> {
///     plan.forward("update", views)
/// }
/// let (ranks, space) = (Communicator::alone(), Serial::new());
/// let plan = ranks.plan("last", &space, &[0, 2], &[1])?;
/// let mut ghosts = View::zeros("ghosts", [1])?;
/// update(&plan, [(&View::from_fn("x", [2], |[i]| i)?, &mut ghosts)])?;
/// assert_eq!(ghosts[0], 1);
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` are not the Views of a transfer `{D}` on `{S}`",
    note = "`plan.forward` takes `(&x, &mut ghosts)`, `plan.back` takes `(&ghosts, &mut x, reducer)`, or tuples or arrays of these",
    note = "the Views are in memory that the plan's space reaches; their elements are `Portable`, and the values of the reducer"
)]
pub trait PlannedViews<S: ExecutionSpace, D, K>: sealed::Sealed<S, D, K> {
    /// Checks the extents, before any message.
    #[doc(hidden)]
    fn check(&self, plan: &Plan<'_, S>, label: &str) -> Result<()>;
    /// Appends what messages have of each View.
    #[doc(hidden)]
    fn rows(&self, all: &mut Vec<RowsOf>);
    /// Appends rows to the messages.
    #[doc(hidden)]
    fn pack(&mut self, plan: &Plan<'_, S>, label: &str, messages: &mut [Filling<S::Memory>]) -> Result<()>;
    /// Takes rows from the messages.
    #[doc(hidden)]
    fn unpack(&mut self, plan: &Plan<'_, S>, label: &str, received: &mut [Received<'_>]) -> Result<()>;
}

/// The direction of [`Plan::forward`], for signatures.
///
/// # Examples
/// ```
/// use spelt_core::Serial;
/// fn forward<K>(_: &impl spelt_mpi::PlannedViews<Serial, spelt_mpi::Forward, K>) {}
/// let x = spelt_core::View::<f64, 1>::zeros("x", [3])?;
/// forward(&(&x, &mut x.to_host()?));
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Forward;

/// The direction of [`Plan::back`], for signatures.
///
/// # Examples
/// ```
/// use spelt_core::{Serial, reducers::Sum};
/// fn back<K>(_: &impl spelt_mpi::PlannedViews<Serial, spelt_mpi::Back, K>) {}
/// let x = spelt_core::View::<f64, 1>::zeros("x", [3])?;
/// back(&(&x, &mut x.to_host()?, Sum::<f64>::new()));
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Back;

/// The kind of a single pair or triple.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct One;

/// Who implements the trait: this file alone, because the steps of a transfer belong together.
mod sealed {
    pub trait Sealed<S, D, K> {}
}

/// Checks the Views of own rows and of ghosts.
fn check<S, T, const R: usize, M, N, L, K>(
    plan: &Plan<'_, S>,
    label: &str,
    rows: ViewRef<'_, T, R, M, L>,
    ghosts: ViewRef<'_, T, R, N, K>,
) -> Result<()>
where
    S: ExecutionSpace,
    T: Element,
    M: MemorySpace,
    N: MemorySpace,
    L: Layout,
    K: Layout,
{
    const { assert!(R > 0, "a View of rank 0 has no rows") };
    let rank = plan.ranks.rank();
    check_rows(label, rank, plan.rows, rows)?;
    check_rows(label, rank, plan.ghosts, ghosts)?;
    if rows.extents()[1..] == ghosts.extents()[1..] {
        return Ok(());
    }
    let message = format!(
        "`{label}`: View `{}` of extents {:?} and View `{}` of extents {:?} differ in more than the first one on rank {rank}",
        rows.label(),
        rows.extents(),
        ghosts.label(),
        ghosts.extents()
    );
    Err(Error::new(ErrorKind::Extents, message))
}

macro_rules! pairs {
    ($([$($from_life:tt)?] $from:ident [$($to_life:tt)?] $to:ident;)*) => {$(
        impl<$($from_life,)? $($to_life,)? S, T: Element, const R: usize, M: MemorySpace, N: MemorySpace, L: Layout, K: Layout>
            sealed::Sealed<S, Forward, One> for (&$from<$($from_life,)? T, R, M, L>, &mut $to<$($to_life,)? T, R, N, K>)
        {
        }
        impl<$($from_life,)? $($to_life,)? S, T, const R: usize, M, N, L, K> PlannedViews<S, Forward, One>
            for (&$from<$($from_life,)? T, R, M, L>, &mut $to<$($to_life,)? T, R, N, K>)
        where
            S: ExecutionSpace + Reach<M> + Reach<N>,
            T: Element + Portable,
            M: MemorySpace,
            N: MemorySpace,
            L: Layout,
            K: Layout,
        {
            fn check(&self, plan: &Plan<'_, S>, label: &str) -> Result<()> {
                check(plan, label, self.0.view(), self.1.view())
            }
            fn rows(&self, all: &mut Vec<RowsOf>) {
                all.push(RowsOf::new::<S, T>(&self.0.extents()));
            }
            fn pack(&mut self, plan: &Plan<'_, S>, label: &str, messages: &mut [Filling<S::Memory>]) -> Result<()> {
                let bytes = pack(plan, label, &plan.lists.sent, self.0.view(), messages)?;
                plan.count_staged(bytes);
                Ok(())
            }
            fn unpack(&mut self, plan: &Plan<'_, S>, label: &str, received: &mut [Received<'_>]) -> Result<()> {
                fill(plan, label, self.0.view(), self.1.view_mut(), received)
            }
        }
        impl<$($from_life,)? $($to_life,)? S, T: Element, const R: usize, M: MemorySpace, N: MemorySpace, L: Layout, K: Layout, Op>
            sealed::Sealed<S, Back, One> for (&$from<$($from_life,)? T, R, M, L>, &mut $to<$($to_life,)? T, R, N, K>, Op)
        {
        }
        impl<$($from_life,)? $($to_life,)? S, T, const R: usize, M, N, L, K, Op> PlannedViews<S, Back, One>
            for (&$from<$($from_life,)? T, R, M, L>, &mut $to<$($to_life,)? T, R, N, K>, Op)
        where
            S: ExecutionSpace + Reach<M> + Reach<N>,
            T: Element + Portable,
            M: MemorySpace,
            N: MemorySpace,
            L: Layout,
            K: Layout,
            Op: Reducer<Value = T, Output = T> + Copy + Send + Sync,
        {
            fn check(&self, plan: &Plan<'_, S>, label: &str) -> Result<()> {
                check(plan, label, self.1.view(), self.0.view())
            }
            fn rows(&self, all: &mut Vec<RowsOf>) {
                all.push(RowsOf::new::<S, T>(&self.0.extents()));
            }
            fn pack(&mut self, plan: &Plan<'_, S>, label: &str, messages: &mut [Filling<S::Memory>]) -> Result<()> {
                let bytes = pack(plan, label, &plan.lists.returned, self.0.view(), messages)?;
                plan.count_staged(bytes);
                Ok(())
            }
            fn unpack(&mut self, plan: &Plan<'_, S>, label: &str, received: &mut [Received<'_>]) -> Result<()> {
                join(plan, label, (self.0.view(), self.2), self.1.view_mut(), received)
            }
        }
    )*};
}
pairs! {
    [] View [] View;
    [] View ['w] ViewMut;
    ['v] ViewRef [] View;
    ['v] ViewRef ['w] ViewMut;
    ['v] ViewMut [] View;
    ['v] ViewMut ['w] ViewMut;
}

macro_rules! tuples {
    ($($($name:ident $kind:ident $place:tt)*;)*) => {$(
        impl<S, D, $($kind, $name: sealed::Sealed<S, D, $kind>),*> sealed::Sealed<S, D, ($($kind,)*)> for ($($name,)*) {}
        impl<S: ExecutionSpace, D, $($kind, $name: PlannedViews<S, D, $kind>),*> PlannedViews<S, D, ($($kind,)*)> for ($($name,)*) {
            fn check(&self, plan: &Plan<'_, S>, label: &str) -> Result<()> {
                $(self.$place.check(plan, label)?;)*
                Ok(())
            }
            fn rows(&self, all: &mut Vec<RowsOf>) {
                $(self.$place.rows(all);)*
            }
            fn pack(&mut self, plan: &Plan<'_, S>, label: &str, messages: &mut [Filling<S::Memory>]) -> Result<()> {
                $(self.$place.pack(plan, label, messages)?;)*
                Ok(())
            }
            fn unpack(&mut self, plan: &Plan<'_, S>, label: &str, received: &mut [Received<'_>]) -> Result<()> {
                $(self.$place.unpack(plan, label, received)?;)*
                Ok(())
            }
        }
    )*};
}
tuples! {
    A KA 0;
    A KA 0 B KB 1;
    A KA 0 B KB 1 C KC 2;
    A KA 0 B KB 1 C KC 2 E KE 3;
    A KA 0 B KB 1 C KC 2 E KE 3 F KF 4;
    A KA 0 B KB 1 C KC 2 E KE 3 F KF 4 G KG 5;
    A KA 0 B KB 1 C KC 2 E KE 3 F KF 4 G KG 5 H KH 6;
    A KA 0 B KB 1 C KC 2 E KE 3 F KF 4 G KG 5 H KH 6 I KI 7;
}

impl<S, D, K, A: sealed::Sealed<S, D, K>, const N: usize> sealed::Sealed<S, D, [K; N]> for [A; N] {}
impl<S: ExecutionSpace, D, K, A: PlannedViews<S, D, K>, const N: usize> PlannedViews<S, D, [K; N]>
    for [A; N]
{
    fn check(&self, plan: &Plan<'_, S>, label: &str) -> Result<()> {
        self.iter().try_for_each(|views| views.check(plan, label))
    }
    fn rows(&self, all: &mut Vec<RowsOf>) {
        self.iter().for_each(|views| views.rows(all));
    }
    fn pack(&mut self, plan: &Plan<'_, S>, label: &str, messages: &mut [Filling<S::Memory>]) -> Result<()> {
        self.iter_mut().try_for_each(|views| views.pack(plan, label, messages))
    }
    fn unpack(&mut self, plan: &Plan<'_, S>, label: &str, received: &mut [Received<'_>]) -> Result<()> {
        self.iter_mut().try_for_each(|views| views.unpack(plan, label, received))
    }
}

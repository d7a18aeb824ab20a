//! Arguments that are lent to a launch: those of a launch over all ranks to its local ones, and halos that are under way.

use spelt_core::{Description, Divided, KernelArgs, OwnRows, ScatterVisitor, Shortage};

use super::halo_exchange::HalosUnderWay;
use super::storage::Access;

/// The arguments `A`, lent to one of the local launches of which a launch over all ranks consists.
pub(crate) struct Again<'a, A>(pub(crate) &'a mut A);

macro_rules! lent {
    ($($name:ident, |$visit:ident| $visitor:expr;)*) => {$(
        // SAFETY: every function is that of the arguments, which are borrowed exclusively as long as the launch takes.
        unsafe impl<A: KernelArgs> KernelArgs for $name<'_, A> {
            type Raw = A::Raw;
            type Access<'k> = A::Access<'k>;
            type Held = A::Held;
            type Memory = A::Memory;
            const BY_TEAM: bool = A::BY_TEAM;
            const MAY_FAIL: bool = A::MAY_FAIL;
            type Members = Self;
            // No spans: elements of halos may arrive while iterations run.
            #[inline(always)]
            fn crosses_lines(raw: &Self::Raw) -> bool {
                A::crosses_lines(raw)
            }
            #[inline(always)]
            fn describe<'a>(args: &'a Self, visit: &mut impl FnMut(Description<'a>)) {
                A::describe(args.0, visit);
            }
            #[inline(always)]
            fn covers_box(args: &Self, lower: &[usize], upper: &[usize]) -> bool {
                A::covers_box(args.0, lower, upper)
            }
            #[inline(always)]
            fn parts(args: &Self, least: Option<usize>) -> Option<usize> {
                A::parts(args.0, least)
            }
            #[inline(always)]
            fn prepare(args: &mut Self, iterations: usize) -> Result<(), Shortage> {
                A::prepare(args.0, iterations)
            }
            #[inline(always)]
            unsafe fn lower(args: &mut Self) -> (Self::Raw, Self::Held) {
                // SAFETY: the arguments' `lower` has this contract, and they are borrowed for longer than `args`.
                unsafe { A::lower(args.0) }
            }
            #[inline(always)]
            unsafe fn lower_on_device(args: &mut Self) -> (Self::Raw, Self::Held) {
                // SAFETY: the arguments' `lower_on_device` has this contract, and they are borrowed for longer than `args`.
                unsafe { A::lower_on_device(args.0) }
            }
            #[inline(always)]
            fn divided(args: &mut Self, visit: &mut dyn FnMut(Divided<'_>)) {
                let $visit = visit;
                A::divided(args.0, $visitor);
            }
            #[inline(always)]
            fn scattered<V: ScatterVisitor>(raw: &mut Self::Raw, visitor: &mut V) -> Result<(), V::Error> {
                A::scattered(raw, visitor)
            }
            #[inline(always)]
            unsafe fn access<'k>(raw: &Self::Raw, part: usize) -> Self::Access<'k> {
                // SAFETY: the raw form is that of the arguments; brand, coverage and part are those of this call.
                unsafe { A::access(raw, part) }
            }
            #[inline(always)]
            unsafe fn in_team(raw: &Self::Raw, league_rank: usize) -> (Self::Raw, OwnRows) {
                // SAFETY: the raw form is that of the arguments, and the league is that of this call.
                unsafe { A::in_team(raw, league_rank) }
            }
            #[inline(always)]
            fn finish(held: Self::Held) {
                A::finish(held);
            }
        }
    )*};
}
lent! {
    Again, |visit| visit;
    HalosUnderWay, |visit| &mut |divided| visit_under_way(divided, visit);
}

/// Visits a halo as one of which rows are on their way.
fn visit_under_way(divided: Divided<'_>, visit: &mut dyn FnMut(Divided<'_>)) {
    match divided {
        Divided::Exclusive(view, access) => match access.downcast_ref() {
            Some(Access::Halo(reach)) => {
                visit(Divided::Exclusive(view, &Access::UnderWay(reach.clone())));
            }
            _ => visit(Divided::Exclusive(view, access)),
        },
        shared @ Divided::Shared(..) => visit(shared),
    }
}

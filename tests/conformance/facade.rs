//! Everything that the facade promises is there under its name.

/// Names are the test: a type or function that goes missing does not compile.
#[test]
fn every_export_is_there() {
    #[allow(unused_imports)]
    use spelt::reducers::{
        BAnd, BOr, BitElement, Columns, ColumnsValue, Custom, Elementwise, Finish, FirstLoc, FirstLocValue,
        InOrder, LAnd, LOr, LastLoc, LastLocValue, Location, LogicalElement, Max, MaxBy, MaxFirstLoc, MaxLoc,
        MaxLocBy, MaxLocValue, Min, MinBy, MinFirstLoc, MinLoc, MinLocBy, MinLocValue, MinMax, MinMaxBy,
        MinMaxElement, MinMaxFirstLastLoc, MinMaxFirstLastLocBy, MinMaxFirstLastLocValue, MinMaxLoc,
        MinMaxLocBy, MinMaxLocValue, MinMaxValue, Prod, ProdElement, Reducer, Sum, SumElement, custom,
    };
    #[allow(unused_imports)]
    use spelt::{
        ALIGNMENT, AUTO, Along, AlongAccess, AsIndex, Atomic, AtomicAccess, AtomicInteger, AtomicNumber,
        Chunks, ChunksMut, CopyFrom, Distinct, DistinctAccess, Dynamic, Element, Error, ErrorKind,
        ExecutionSpace, Flat, FlatArg, FlatIdx, ForPolicy, Halo, HaloAccess, HostAccessible, HostSpace, Idx,
        IndexedIter, IndexedIterMut, IntoIndex, IntoRange, Iter, IterMut, Iterate, KernelArg, KernelArgs,
        Layout, Left, LineRef, Lookup, LookupAccess, MapReducePolicy, MdRangePolicy, MemorySpace, Mut,
        NestedIdx, NestedPolicy, NpyElement, OnSpace, Partial, PartialAccess, PartialMut, PartialMutAccess,
        RangePolicy, RawView, Rayon, Reach, ReachedBy, ReadView, ReducePolicy, Ref, Result, Right, Rows,
        RowsAccess, RowsMut, RowsMutAccess, ScanPolicy, Scatter, ScatterAccess, Schedule, Serial,
        SpaceChoice, Static, Stride, Team, TeamPolicy, TeamSize, Thread, Threads, ThreadsArguments,
        ThreadsBuilder, View, ViewMut, ViewRef, Witness, WriteView, canonical, deep_copy, deep_copy_scalar,
        math, parallel_for, parallel_map_reduce, parallel_reduce, parallel_reduce_into, parallel_scan,
        parallel_scan_into, reducers, serial_reduce, subview, with_space,
    };
    assert!(canonical::lanes(8).is_power_of_two() && canonical::lanes(8) <= canonical::MAX_LANES);
    assert!(ALIGNMENT.is_power_of_two());
    assert_eq!(math::exp(0.0_f64), 1.0);
}

/// The prelude alone is enough for the first program.
#[test]
fn the_prelude_is_enough() -> spelt::Result<()> {
    use spelt::prelude::*;
    fn first<S: ExecutionSpace>(space: &S) -> spelt::Result<(f64, f64)> {
        let n = 1000;
        let x = space.view_from_fn("x", [n], |[i]| i as f64)?;
        let mut y = space.zeros::<f64, 1>("y", [n])?;
        parallel_for("axpy", space.range(0..n), (2.0_f64, &x, &mut y), |i, (a, x, mut y)| y[i] += a * x[i])?;
        let dot = parallel_reduce(
            "dot",
            space.range(0..n),
            (&x, &y),
            |i, sum, (x, y)| *sum += x[i] * y[i],
            Sum::<f64>::new(),
        )?;
        let total = parallel_scan(
            "prefix",
            space.range(0..n),
            (&x, &mut y),
            |i, sum, last, (x, mut y)| {
                *sum += x[i];
                if last {
                    y[i] = *sum
                }
            },
            Sum::<f64>::new(),
        )?;
        let a = space.view_from_fn("a", [51, 52], |[i, j]| (i * j) as f64)?;
        let best = parallel_reduce(
            "minmaxloc",
            space.team(51, AUTO),
            (&a,),
            |team, (a,)| {
                let in_row = team.parallel_reduce(
                    team.thread_range(52),
                    |rj, best| best.update(a[rj], rj.get()),
                    MinMaxLoc::new(),
                );
                team.contribute(in_row)
            },
            MinMaxLoc::<f64, [usize; 2]>::new(),
        )?;
        assert_eq!((best.min_loc, best.max_loc), ([0, 0], [50, 51]));
        Ok((dot, total))
    }
    for choice in SpaceChoice::HOST {
        assert_eq!(with_space!(choice, |space| first(&space))?, (665_667_000.0, 499_500.0));
    }
    Ok(())
}

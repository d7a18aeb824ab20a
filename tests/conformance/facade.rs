//! Everything that the facade promises is there under its name.

/// Names are the test: a type or function that goes missing does not compile.
#[test]
fn every_export_is_there() {
    #[allow(unused_imports)]
    use spelt::containers::{
        Bitset, BitsetAccess, Csr, FindAccess, InsertAccess, Inserts, MapKey, MapReducer, MapValue, Mirrored,
        Resets, ResetsAccess, Sets, SetsAccess, UnorderedMap,
    };
    #[allow(unused_imports)]
    use spelt::random::{
        Draws, Random, RandomFloat, RandomIndex, Uniform, fill_normal, fill_uniform, permutation, philox4x32,
        sample, shuffle,
    };
    #[allow(unused_imports)]
    use spelt::reducers::{
        BAnd, BOr, BitElement, Columns, ColumnsValue, Custom, Elementwise, Failures, FailuresValue, Finish,
        FirstLoc, FirstLocValue, InOrder, LAnd, LOr, LastLoc, LastLocValue, Location, LogicalElement, Max,
        MaxBy, MaxFirstLoc, MaxLoc, MaxLocBy, MaxLocValue, Min, MinBy, MinFirstLoc, MinLoc, MinLocBy,
        MinLocValue, MinMax, MinMaxBy, MinMaxElement, MinMaxFirstLastLoc, MinMaxFirstLastLocBy,
        MinMaxFirstLastLocValue, MinMaxLoc, MinMaxLocBy, MinMaxLocValue, MinMaxValue, Prod, ProdElement,
        Reducer, Sum, SumElement, custom,
    };
    #[allow(unused_imports)]
    use spelt::simd::{Mask, Simd, SimdCast, SimdElement, SimdFloat, SimdInteger, SimdSigned};
    #[allow(unused_imports)]
    use spelt::tools::{
        AllocationEvent, Contents, CopyEvent, DeviceWorkEvent, ExchangeEvent, FenceEvent, FillEvent,
        LaunchEvent, LaunchView, MirrorEvent, Number, Pattern, Region, Section, Share, Tool, Unreadable,
        install, mark, metadata, region, section,
    };
    #[allow(unused_imports)]
    use spelt::{
        ALIGNMENT, AUTO, Along, AlongAccess, AnyHost, Around, AsIndex, AtZero, Atomic, AtomicAccess,
        AtomicInteger, AtomicNumber, Between, BuildInfo, CheckedIndex, Chunks, ChunksMut, CopyFrom, Covers,
        Description, DeviceCodeInfo, Distinct, DistinctAccess, Dynamic, Element, Error, ErrorKind,
        ExecutionSpace, FillPolicy, Flat, FlatArg, FlatIdx, ForPolicy, FromOrigin, Graph, Halo, HaloAccess,
        HaloShape, HostAccessible, HostIndex, HostSpace, Idx, IndexedIter, IndexedIterMut, IntoBox,
        IntoRange, Iter, IterMut, Iterate, KernelArg, KernelArgs, Layout, Left, LineRef, Lookup,
        LookupAccess, MapReducePolicy, MdRangePolicy, Memories, MemorySpace, Mut, NestedIdx, NestedPolicy,
        Node, NpyElement, OffsetView, OffsetViewMut, OffsetViewRef, OnInstance, OnSpace, Origin,
        OriginAccess, OriginWitness, OwnRows, Partial, PartialAccess, PartialMut, PartialMutAccess, Printer,
        PrinterAccess, RangePolicy, RawView, Rayon, Reach, ReachedBy, ReadView, ReducePolicy, Ref, Result,
        Right, Rows, RowsAccess, RowsMut, RowsMutAccess, Scalar, ScanPolicy, Scatter, ScatterAccess,
        Schedule, ScratchRest, ScratchView, Serial, Shortage, SignedIdx, SignedPolicy, SpaceChoice, Static,
        Stride, Team, TeamPolicy, TeamSize, TeamSizes, Thread, Threads, ThreadsArguments, ThreadsBuilder,
        Timer, UninitView, View, ViewMut, ViewRef, Witness, WriteView, build_info, canonical, deep_copy,
        deep_copy_scalar, math, parallel_fill, parallel_for, parallel_map_reduce, parallel_reduce,
        parallel_reduce_into, parallel_scan, parallel_scan_into, print_configuration, reducers,
        serial_map_reduce, serial_reduce, subview, unrolled, when_all, with_scratch, with_space,
    };
    #[allow(unused_imports)]
    use spelt::{
        Blocks, BlocksAccess, BlocksMut, BlocksMutAccess, Division, NestedOnlyPartsMut, NestedParts,
        NestedPartsAccess, NestedPartsMut, NestedPartsMutAccess, Offsets, OnlyPartsMut, OtherPartsAccess,
        Parts, PartsAccess, PartsMut, PartsMutAccess, RawBlocks, RawSegments, Segments, SegmentsAccess,
        SegmentsMut, SegmentsMutAccess, Slab, SlabRef,
    };
    #[allow(unused_imports)]
    use spelt::{MapPartPolicy, Part, PartPolicy, Portable, ScanPart, ScanPartPolicy, reduce_shares};
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

/// A report of a benchmark or of a bug says how the program was built: each fact as its source has it.
#[test]
fn the_build_is_recorded() {
    let info = spelt::build_info();
    let rustc = std::process::Command::new("rustc").arg("--version").output().expect("a compiler");
    assert_eq!(info.rustc, String::from_utf8(rustc.stdout).expect("text").trim());
    assert_eq!(info.version, env!("CARGO_PKG_VERSION"));
    assert_eq!(info.profile, if cfg!(debug_assertions) { "debug" } else { "release" });
    for (word, fact) in [(std::env::consts::ARCH, info.target), (std::env::consts::OS, info.target)] {
        assert!(fact.contains(word), "`{fact}` lacks `{word}`");
    }
    for (feature, enabled) in [
        ("threads", cfg!(feature = "threads")),
        ("rayon", cfg!(feature = "rayon")),
        ("cuda", cfg!(feature = "cuda")),
        ("num-complex", cfg!(feature = "num-complex")),
        ("half", cfg!(feature = "half")),
    ] {
        assert_eq!(info.features.contains(&feature), enabled, "{feature}");
    }
    assert!(!info.features.contains(&"default"));
    // Only `cargo spelt` makes device code, which these tests then contain.
    assert_eq!(info.device_code.is_some(), has_device_code());
    let text = info.to_string();
    for fact in [info.version, info.rustc, info.target, info.instruction_levels[0]] {
        assert!(text.contains(fact), "`{text}` lacks `{fact}`");
    }
}

fn has_device_code() -> bool {
    #[cfg(feature = "cuda")]
    return spelt::Cuda::has_device_code();
    #[cfg(not(feature = "cuda"))]
    false
}

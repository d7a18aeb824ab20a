//! A space that is added by the recipe in CONTRIBUTING.md: it runs units backwards.

use spelt_policies::Schedule;

use crate::Result;
use crate::host::HostThreads;
use crate::launch::{ExecutionSpace, SpaceFacts};
use crate::reach::{Reach, sealed::Sealed};
use crate::view::HostSpace;

/// One thread, which runs the units of a launch from the last to the first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Backwards;

impl SpaceFacts for Backwards {
    fn space_name(&self) -> &'static str {
        "Backwards"
    }
    fn threads(&self) -> usize {
        // More than one, so that launches are cut into units.
        3
    }
}

// SAFETY: each unit runs once, before the call returns; units are not in order, and `in_order` says so.
unsafe impl HostThreads for Backwards {
    fn run_units(&self, units: usize, _schedule: Schedule, body: &(dyn Fn(usize) + Sync)) {
        (0..units).rev().for_each(body);
    }
    fn in_order(&self) -> bool {
        false
    }
}

// SAFETY: its memory is the host's, which its thread reaches.
unsafe impl ExecutionSpace for Backwards {
    type Memory = HostSpace;
    type Shared = HostSpace;
    type Pinned = HostSpace;

    super::host_views::constructors!();

    fn partition_by(&self, weights: &[usize]) -> Result<Vec<Self>> {
        Ok(vec![*self; weights.len()])
    }

    fn configuration(&self) -> String {
        "Backwards: one thread, the caller's".to_owned()
    }
}

impl Sealed for Backwards {}

// SAFETY: threads of the host read and write host memory.
unsafe impl Reach<HostSpace> for Backwards {}

mod tests {
    use super::*;
    use crate::reducers::{MinMaxLoc, Sum};
    use crate::{AUTO, ErrorKind, Iterate, Serial, View, parallel_for, parallel_reduce, parallel_scan};

    const N: usize = 50_000;

    /// The bits of every pattern over every policy, with closures that write, reduce, scan and nest.
    fn every_pattern(space: &impl ExecutionSpace<Memory = HostSpace>) -> Result<Vec<u64>> {
        let x = space.view_from_fn("x", [N], |[i]| 1.0 / (1.0 + i as f64))?;
        let table = space.view_from_fn("table", [100, 500], |[i, j]| (i as f64).sin() + j as f64)?;
        let mut y = space.zeros::<f64, 1>("y", [N])?;
        let mut written = space.zeros::<f64, 2>("written", [100, 500])?;
        let mut bits = Vec::new();

        parallel_for("range", space.range(1..N), (&x, &mut y), |i, (x, mut y)| y[i] = 2.0 * x[i])?;
        let box_of = || space.md_range([0..100, 3..500]);
        parallel_for("box", box_of(), (&table, &mut written), |i, (x, mut y)| y[i] += x[i])?;
        let tiled = box_of().tile([7, 30]).iterate(Iterate::Left);
        parallel_for("tiles", tiled, (&table, &mut written), |i, (x, mut y)| y[i] *= x[i])?;
        parallel_for("league", space.team(100, AUTO), (&table, &mut written), |team, (x, mut y)| {
            let range = team.team_vector_range(0..500);
            team.parallel_for(range, |j| y[j] -= x[j]);
        })?;

        let sum = Sum::<f64>::new;
        bits.push(
            parallel_reduce("range", space.range(0..N), &x, |i, sum, x| *sum += x[i], sum())?.to_bits(),
        );
        bits.push(parallel_reduce("box", box_of(), &table, |i, sum, x| *sum += x[i], sum())?.to_bits());
        let ends = parallel_reduce(
            "ends",
            box_of(),
            &table,
            |i, ends, x| ends.update(x[i], i.index()),
            MinMaxLoc::<f64, [usize; 2]>::new(),
        )?;
        bits.extend([ends.min_val.to_bits(), ends.max_val.to_bits(), ends.max_loc[1] as u64]);
        let league = parallel_reduce(
            "league",
            space.team(100, AUTO),
            &table,
            |team, x| {
                let range = team.team_vector_range(0..500);
                let own = team.parallel_reduce(range, |j, sum| *sum += x[j], Sum::new());
                team.contribute(own);
            },
            sum(),
        )?;
        bits.push(league.to_bits());

        let mut prefix = space.zeros::<f64, 1>("prefix", [N])?;
        let total = parallel_scan(
            "scan",
            space.range(0..N),
            (&x, &mut prefix),
            |i, sum, last, (x, mut y)| {
                *sum += x[i];
                if last {
                    y[i] = *sum;
                }
            },
            sum(),
        )?;
        bits.push(total.to_bits());
        bits.extend(y.iter().chain(written.iter()).chain(prefix.iter()).map(|value| value.to_bits()));
        Ok(bits)
    }

    #[test]
    fn a_new_space_has_the_bits_of_the_others() {
        let serial = every_pattern(&Serial::new()).expect("the launches are valid");
        let backwards = every_pattern(&Backwards).expect("the launches are valid");
        assert!(serial == backwards);
    }

    #[test]
    fn a_new_space_checks_what_the_others_check() {
        let mut y = View::<f64, 1>::zeros("y", [9]).expect("memory");
        let error = parallel_for("k", Backwards.range(0..10), &mut y, |i, mut y| y[i] = 1.0).unwrap_err();
        assert_eq!((error.kind(), error.kernel()), (ErrorKind::Extents, Some("k")));
        let error = parallel_for("k", Backwards.team(1, 2), (), |_, ()| {}).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Policy);
        assert!(error.to_string().contains("Backwards"), "{error}");
    }
}

//! Graphs of launches: each replay has the bits of the same launches without a graph, and another graph is refused.

use std::panic::{AssertUnwindSafe, catch_unwind};

use spelt::prelude::*;
use spelt::{Error, ErrorKind, Graph, Node, OffsetView, Result, when_all};

use crate::equal::rough;
use crate::spaces::every;

const ROWS: usize = 30;
const N: usize = 40 * ROWS;

/// The Views of a step.
struct Views<S: ExecutionSpace> {
    now: View<f64, 1, S::Memory>,
    next: View<f64, 1, S::Memory>,
    table: View<f64, 2, S::Memory>,
    shifted: OffsetView<f64, 1, S::Memory>,
    sum: View<f64, 0, S::Memory>,
    total: View<f64, 0, S::Memory>,
}

impl<S: ExecutionSpace> Views<S> {
    fn new(space: &S) -> Self {
        Self {
            now: space.view_from_fn("now", [N], |[i]| rough(i)).expect("memory"),
            next: space.zeros("next", [N]).expect("memory"),
            table: space.view_from_fn("table", [ROWS, 40], |[i, j]| rough(i + j)).expect("memory"),
            shifted: space.zeros("shifted", [N]).expect("memory").with_origin([-7]).expect("an origin"),
            sum: space.zeros("sum", []).expect("memory"),
            total: space.zeros("total", []).expect("memory"),
        }
    }

    fn bits(&self) -> Vec<u64> {
        let views = [&self.now, &self.next].map(|view| view.to_host().expect("memory").to_vec());
        let table = self.table.to_host().expect("memory").to_vec();
        let shifted = self.shifted.as_view().to_host().expect("memory").to_vec();
        let ends = [&self.sum, &self.total].map(|view| view.to_host().expect("memory")[[]]);
        views
            .concat()
            .iter()
            .chain(&table)
            .chain(&shifted)
            .chain(&ends)
            .map(|value| value.to_bits())
            .collect()
    }
}

/// A step without a graph.
fn launches<S: ExecutionSpace>(space: &S, views: &mut Views<S>) -> Result<()> {
    let Views { now, next, table, shifted, sum, total } = views;
    parallel_for("smooth", space.range(1..N - 1), (now.halo::<1>(), &mut *next), move |i, (x, mut y)| {
        y[i] = 0.5 * x.at(i, [-1]) + x.at(i, [1]) / 3.0;
    })?;
    parallel_for("scale", space.md_range([0..ROWS, 1..40]), &mut *table, move |i, mut table| {
        table[i] *= 1.01
    })?;
    parallel_for("rows", space.team(ROWS, AUTO), &mut *table, move |team, mut table| {
        team.parallel_for(team.thread_range(40), |j| table[j] -= 0.1);
    })?;
    parallel_for("shift", space.signed_range(-7..N as isize - 7), &mut *shifted, move |i, mut x| {
        x[i] += 1.0 / (20.0 + i.get() as f64);
    })?;
    space.deep_copy(now, next)?;
    parallel_reduce_into(
        "sum",
        space.range(0..N),
        (&*now, table.lookup()),
        move |i, sum, (x, table)| *sum += x[i] * table[[i.get() / 40, i.get() % 40]],
        Sum::<f64>::new(),
        sum,
    )?;
    parallel_scan_into(
        "scan",
        space.range(0..N),
        &mut *next,
        move |i, sum, last, mut x| {
            *sum += x[i];
            if last {
                x[i] = *sum / N as f64;
            }
        },
        Sum::<f64>::new(),
        total,
    )
}

/// The same as nodes: `scale` and `rows` are a branch of their own.
fn nodes<S: ExecutionSpace>(space: &S, root: Node<'_, S>, views: &mut Views<S>) -> Result<()> {
    let Views { now, next, table, shifted, sum, total } = views;
    let args = (now.halo::<1>(), &mut *next);
    let smooth = root.then_parallel_for("smooth", space.range(1..N - 1), args, move |i, (x, mut y)| {
        y[i] = 0.5 * x.at(i, [-1]) + x.at(i, [1]) / 3.0;
    })?;
    let inner = space.md_range([0..ROWS, 1..40]);
    let scale = root.then_parallel_for("scale", inner, &mut *table, move |i, mut table| table[i] *= 1.01)?;
    let rows =
        scale.then_parallel_for("rows", space.team(ROWS, AUTO), &mut *table, move |team, mut table| {
            team.parallel_for(team.thread_range(40), |j| table[j] -= 0.1);
        })?;
    let signed = space.signed_range(-7..N as isize - 7);
    let shift = smooth.then_parallel_for("shift", signed, &mut *shifted, move |i, mut x| {
        x[i] += 1.0 / (20.0 + i.get() as f64);
    })?;
    let copy = shift.then("copy", |instance| instance.deep_copy(now, next))?;
    let reduced = when_all(&[rows, copy])?.then_parallel_reduce(
        "sum",
        space.range(0..N),
        (&*now, table.lookup()),
        move |i, sum, (x, table)| *sum += x[i] * table[[i.get() / 40, i.get() % 40]],
        Sum::<f64>::new(),
        sum,
    )?;
    reduced.then_parallel_scan(
        "scan",
        space.range(0..N),
        &mut *next,
        move |i, sum, last, mut x| {
            *sum += x[i];
            if last {
                x[i] = *sum / N as f64;
            }
        },
        Sum::<f64>::new(),
        total,
    )?;
    Ok(())
}

/// Three nodes with a label, an extent and a range to change; `end` is called after the second.
fn small<S: ExecutionSpace>(
    graph: &mut Graph<'_, S>,
    space: &S,
    [label, middle]: [&str; 2],
    view: &mut View<u64, 1, S::Memory>,
    n: usize,
    end: impl FnOnce(Node<'_, S>) -> Result<()>,
) -> Result<()> {
    graph.replay(|root| {
        let a = root.then_parallel_for(label, space.range(0..n), &mut *view, move |i, mut x| x[i] += 1)?;
        let b = a.then(middle, |_| Ok(()))?;
        end(b)
    })
}

every! { on_every_space:
    fn replays_have_the_bits_of_launches(space, _setting) {
        let (mut alone, mut replayed) = (Views::new(space), Views::new(space));
        let mut graph = Graph::new(space);
        for step in 0..4 {
            launches(space, &mut alone).expect("covered");
            graph.replay(|root| nodes(space, root, &mut replayed)).expect("the same graph");
            assert!(alone.bits() == replayed.bits(), "step {step}");
            // The Views take turns: each replay gets others in their places.
            for views in [&mut alone, &mut replayed] {
                std::mem::swap(&mut views.now, &mut views.next);
            }
        }
        assert_eq!(graph.len(), 8);
    }

    fn another_graph_is_an_error_with_the_values(space, _setting) {
        let names = ["add", "middle"];
        let mut x = space.zeros::<u64, 1>("x", [10]).expect("memory");
        let mut long = space.zeros::<u64, 1>("long", [11]).expect("memory");
        let mut graph = Graph::new(space);
        let whole = |b: Node<'_, S>| b.then("end", |_| Ok(())).map(|_| ());
        small(&mut graph, space, names, &mut x, 10, whole).expect("the first replay");
        let refused = |result: Result<()>, kind: ErrorKind, words: &[&str]| {
            let error: Error = result.expect_err("another graph");
            let text = error.to_string();
            assert!(error.kind() == kind && words.iter().all(|words| text.contains(words)), "{words:?}: {text}");
        };
        let mut g = &mut graph;
        let (policy, extents) = (ErrorKind::Policy, ErrorKind::Extents);
        refused(small(g, space, ["sub", "middle"], &mut x, 10, whole), policy,
            &["node 0 of the graph is then_parallel_for `add`", "`sub`"]);
        refused(small(g, space, ["add", "centre"], &mut x, 10, whole), policy, &["node 1", "`middle`", "`centre`"]);
        refused(small(g, space, names, &mut x, 9, whole), policy, &["`add`", "0..9", "0..10"]);
        refused(small(g, space, names, &mut long, 10, whole), extents, &["`add`", "view `long`", "[11]", "[10]"]);
        refused(small(g, space, names, &mut x, 10, |_| Ok(())), policy, &["has 2 nodes and the graph has 3", "`end`"]);
        refused(small(g, space, names, &mut x, 10, |b| b.then("end", |_| Ok(()))?.then("more", |_| Ok(())).map(|_| ())),
            policy, &["has 3 nodes", "`more`"]);
        refused(small(g, space, names, &mut x, 10, |b| when_all(&[b]).map(|_| ())), policy, &["when_all", "`end`"]);
        // The order: the last node follows the second, not both.
        g = &mut graph;
        let order = g.replay(|root| {
            root.then_parallel_for("add", space.range(0..10), &mut x, move |i, mut x| x[i] += 1)?;
            root.then("middle", |_| Ok(())).map(|_| ())
        });
        refused(order, policy, &["`middle` after [0]", "`middle` after []"]);
        // Nodes before the difference have run, and the graph is as it was.
        let before = x.to_host().expect("memory")[9];
        small(g, space, names, &mut x, 10, whole).expect("the same graph");
        assert_eq!((before, x.to_host().expect("memory")[9]), (6, 7));
        assert_eq!(long.to_host().expect("memory")[9], 0);
    }

    fn other_coverage_is_refused(space, _setting) {
        let x = space.view_from_fn("x", [10], |[i]| i as f64).expect("memory");
        let launch = |graph: &mut Graph<'_, S>, which: usize| {
            graph.replay(|root| {
                match which {
                    0 => root.then_parallel_for("k", space.range(2..8), x.halo::<1>(), move |_, _| {}),
                    1 => root.then_parallel_for("k", space.range(2..8), x.halo::<2>(), move |_, _| {}),
                    2 => root.then_parallel_for("k", space.range(2..8), (x.halo::<1>(), &x), move |_, _| {}),
                    3 => root.then_parallel_for("k", space.range(2..8), (), move |_, _| {}),
                    4 => root.then_parallel_for("k", space.signed_range(2..8), x.halo::<1>(), move |_, _| {}),
                    _ => root.then_parallel_for("k", space.team(6, AUTO), x.halo::<1>(), move |_, _| {}),
                }?;
                Ok(())
            })
        };
        let (policy, extents) = (ErrorKind::Policy, ErrorKind::Extents);
        let reasons = [
            (extents, "covers [1] to [9]"),
            (extents, "covers [2] to [8]"),
            (extents, "there are 2 Views among the arguments"),
            (extents, "there are 0 Views among the arguments"),
            (policy, "SignedRange 2..8"),
            (policy, "League 0..6"),
        ];
        // The league begins where a halo does not reach, so that it is not covered.
        for first in 0..5 {
            let mut graph = Graph::new(space);
            launch(&mut graph, first).expect("covered");
            for (which, (kind, words)) in reasons.into_iter().enumerate() {
                match launch(&mut graph, which) {
                    Ok(()) => assert_eq!(which, first),
                    Err(error) => {
                        let text = error.to_string();
                        // Of two differences, that of the indices is named.
                        let kind = if first == 4 { policy } else { kind };
                        let expected = error.kind() == kind && (first > 0 || text.contains(words));
                        assert!(which != first && expected, "{which} after {first}: {text}");
                    }
                }
            }
        }
    }

    fn a_replay_that_fails_can_be_replayed(space, _setting) {
        let mut x = space.zeros::<u64, 1>("x", [10]).expect("memory");
        let mut graph = Graph::new(space);
        let names = ["add", "middle"];
        let whole = |b: Node<'_, S>| b.then("end", |_| Ok(())).map(|_| ());
        let stop = |_: Node<'_, S>| Err(Error::new(ErrorKind::Io, "a file is missing"));
        let panics = |_: Node<'_, S>| panic!("in the middle");
        // In the first replay: then the next one is the first. The View is too short, and then the rest fails.
        let error = small(&mut graph, space, names, &mut x, 11, whole).expect_err("it is not covered");
        assert!(error.kind() == ErrorKind::Extents && error.to_string().contains("does not cover"), "{error}");
        assert_eq!(small(&mut graph, space, names, &mut x, 9, stop).expect_err("as the closure").kind(), ErrorKind::Io);
        let caught = catch_unwind(AssertUnwindSafe(|| small(&mut graph, space, names, &mut x, 9, panics)));
        assert!(caught.is_err() && graph.is_empty());
        small(&mut graph, space, ["other", "names"], &mut x, 10, whole).expect("the first replay");
        // In a later one.
        let names = ["other", "names"];
        assert_eq!(small(&mut graph, space, names, &mut x, 10, stop).expect_err("as the closure").kind(), ErrorKind::Io);
        assert!(catch_unwind(AssertUnwindSafe(|| small(&mut graph, space, names, &mut x, 10, panics))).is_err());
        small(&mut graph, space, names, &mut x, 10, whole).expect("the same graph");
        let x = x.to_host().expect("memory");
        assert_eq!((x[8], x[9], graph.len()), (6, 4, 3));
    }

    fn a_failed_node_is_not_passed_over(space, _setting) {
        let mut x = space.zeros::<u64, 1>("x", [10]).expect("memory");
        let mut graph = Graph::new(space);
        for _ in 0..2 {
            let mut later = None;
            let result = graph.replay(|root| {
                let failed = root.then("fails", |_| Err(Error::new(ErrorKind::Io, "a file is missing")));
                assert_eq!(failed.expect_err("as the closure").kind(), ErrorKind::Io);
                let next = root.then_parallel_for("next", space.range(0..10), &mut x, move |i, mut x| x[i] += 1);
                later = Some(next.expect_err("a node has failed").to_string());
                Ok(())
            });
            let text = result.expect_err("a node has failed").to_string();
            assert!(text.contains("node 0 `fails` of this replay failed"), "{text}");
            assert!(later.is_some_and(|text| text.contains("`next` is not launched")));
        }
        assert!(graph.is_empty() && x.to_host().expect("memory")[0] == 0);
    }

    fn nodes_of_several_graphs_do_not_mix(space, _setting) {
        let (mut first, mut second) = (Graph::new(space), Graph::new(space));
        let error = first.replay(|one| second.replay(|other| when_all(&[one, other]).map(|_| ()))).expect_err("two graphs");
        assert!(error.to_string().contains("several graphs"), "{error}");
        let error = when_all::<S>(&[]).map(|_| ()).expect_err("no nodes");
        assert!(error.kind() == ErrorKind::Policy && error.to_string().contains("no nodes"), "{error}");
        // The root is before all nodes, and may be among them.
        first.replay(|root| when_all(&[root, root])?.then("end", |_| Ok(())).map(|_| ())).expect("one graph");
        assert_eq!(first.len(), 2);
    }

    fn branches_have_instances_of_their_own_on_a_device(space, _setting) {
        let mut graph = Graph::new(space);
        let replay = |graph: &mut Graph<'_, S>| {
            graph.replay(|root| {
                let mut names = Vec::new();
                let a = name(root, &mut names)?;
                let b = name(root, &mut names)?;
                let c = name(a, &mut names)?;
                name(a, &mut names)?;
                name(when_all(&[b, c])?, &mut names)?;
                for _ in 0..40 {
                    name(c, &mut names)?;
                }
                Ok(names)
            }).expect("the same graph")
        };
        let names = replay(&mut graph);
        let own = format!("{space:?}");
        let mut distinct = names.clone();
        distinct.sort();
        distinct.dedup();
        if S::IS_DEVICE {
            assert!(names[0] == own && names[2] == own, "a chain stays where it is: {names:?}");
            assert!(names[1] != own && names[4] == names[1], "{names:?}");
            assert!(names[3] != own && names[3] != names[1], "{names:?}");
            assert_eq!(distinct.len(), 16, "further branches share instances");
        } else {
            assert_eq!(distinct, [own]);
        }
        assert_eq!(replay(&mut graph), names, "instances are kept");
    }
}

/// A node that says where it runs.
fn name<'r, S: ExecutionSpace>(before: Node<'r, S>, names: &mut Vec<String>) -> Result<Node<'r, S>> {
    before.then("name", |instance| {
        names.push(format!("{instance:?}"));
        Ok(())
    })
}

/// A kernel that panics in a replay: the panic is that of the launch, and the graph can be replayed.
#[cfg(not(feature = "cuda"))]
#[test]
fn a_kernel_that_panics_leaves_the_graph_as_it_was() {
    for space in [spelt::AnyHost::from(Serial::new()), crate::spaces::threads(3).into()] {
        let mut x = space.zeros::<u64, 1>("x", [100]).expect("memory");
        let mut graph = Graph::new(&space);
        let mut replay = |fails: usize| {
            graph.replay(|root| {
                let add = root.then_parallel_for("add", space.range(0..100), &mut x, move |i, mut x| {
                    assert!(i.get() != fails, "iteration {fails}");
                    x[i] += 1;
                })?;
                add.then_parallel_for("double", space.range(0..100), &mut x, move |i, mut x| x[i] *= 2)
                    .map(|_| ())
            })
        };
        for fails in [99, 1000, 0, 1000] {
            let result = catch_unwind(AssertUnwindSafe(|| replay(fails)));
            assert_eq!(result.is_ok(), fails == 1000);
            if let Err(payload) = result {
                assert_eq!(payload.downcast_ref::<String>(), Some(&format!("iteration {fails}")));
            }
        }
        assert_eq!(graph.len(), 2);
    }
}

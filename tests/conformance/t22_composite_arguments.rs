//! Arguments that are nested: tuples, arrays, and structs with `#[derive(KernelArgs)]`. A kernel does with them what it does with
//! their members in one tuple.

use spelt::prelude::*;
use spelt::{Lookup, MemorySpace, Scatter};

use crate::equal::{assert_same, borders, rough};
use crate::spaces::every;

/// Three components.
type Three<'a, M> = (&'a View<f64, 1, M>, &'a View<f64, 1, M>, &'a View<f64, 1, M>);

/// The state of a simulation: twenty Views, a scalar, and a table.
#[derive(KernelArgs)]
struct Flow<'a, M: MemorySpace> {
    dt: f64,
    density: &'a View<f64, 1, M>,
    pressure: &'a View<f64, 1, M>,
    temperature: &'a View<f64, 1, M>,
    velocity: [&'a View<f64, 1, M>; 3],
    force: Three<'a, M>,
    position: [&'a mut View<f64, 1, M>; 3],
    momentum: [&'a mut View<f64, 1, M>; 3],
    energies: Energies<'a, M>,
    table: Lookup<'a, f64, 1, M>,
}

/// A struct within a struct, with unnamed fields.
#[derive(KernelArgs)]
struct Energies<'a, M: MemorySpace>(
    &'a mut View<f64, 1, M>,
    &'a mut View<f64, 1, M>,
    &'a mut View<f64, 1, M>,
    &'a View<u32, 1, M>,
);

/// More fields than a tuple has members, of types that the struct is generic over.
#[derive(KernelArgs)]
#[kernel_args(access = "ManyInKernel")]
#[rustfmt::skip]
struct Many<'a, T: Element, M: MemorySpace, const N: usize> {
    a: T, b: T, c: T, d: T, e: T, f: T, g: T, h: T, i: T, j: T, k: T, l: T, m: T, n: T, o: T, p: T, q: T, r: T, s: T, t: T,
    u: T, v: T, w: [T; N], x: &'a View<T, 1, M>, y: &'a mut View<T, 1, M>, z: T,
}

/// A helper that takes the struct of accessors by its name.
fn sum<'k, const N: usize>(
    i: spelt::Idx<'k, 1>,
    many: &ManyInKernel<'k, '_, u64, impl MemorySpace, N>,
) -> u64 {
    let w: u64 = many.w.iter().sum();
    many.a + 2 * many.b + 3 * many.u + 4 * many.v + 5 * w + 6 * many.z + 7 * many.x[i]
}

/// Four Views of sizes that a kernel over `0..n` may use.
fn inputs<S: ExecutionSpace>(space: &S, n: usize) -> [View<f64, 1, S::Memory>; 9] {
    core::array::from_fn(|which| {
        space.view_from_fn("input", [n + which % 2], |[i]| rough(9 * i + which)).expect("memory")
    })
}

fn outputs<S: ExecutionSpace, const N: usize>(space: &S, n: usize) -> [View<f64, 1, S::Memory>; N] {
    core::array::from_fn(|_| space.zeros("output", [n]).expect("memory"))
}

fn read<M: MemorySpace>(view: &View<f64, 1, M>) -> Vec<f64> {
    view.to_host().expect("memory").to_vec()
}

every! { on_every_setting:
    fn members_of_tuples_and_arrays_are_those_of_one_tuple(space, setting) {
        for n in borders(16) {
            let x = inputs(space, n);
            let [mut flat_a, mut flat_b, mut flat_c] = outputs::<_, 3>(space, n);
            let flat = (0.25, &x[0], &x[1], &x[2], &mut flat_a, &mut flat_b, x[3].lookup(), &mut flat_c);
            parallel_for("flat", setting.range(space, 0..n), flat, move |i, (s, x0, x1, x2, mut a, mut b, t, mut c)| {
                a[i] = s * x0[i] + x1[i];
                b[i] = x1[i] - x2[i];
                c[i] = t[n - 1 - i.get()] * x2[i];
            }).expect("covered");

            let [mut a, mut b, mut c] = outputs::<_, 3>(space, n);
            let nested = ([&x[0], &x[1], &x[2]], (0.25, ([&mut a, &mut b], (x[3].lookup(),)), &mut c));
            parallel_for("nested", setting.range(space, 0..n), nested,
                move |i, (x, (s, ([mut a, mut b], (t,)), mut c))| {
                    a[i] = s * x[0][i] + x[1][i];
                    b[i] = x[1][i] - x[2][i];
                    c[i] = t[n - 1 - i.get()] * x[2][i];
                }).expect("covered");
            for (found, wanted) in [(&a, &flat_a), (&b, &flat_b), (&c, &flat_c)] {
                assert_same(&read(found), &read(wanted), format_args!("{n}"));
            }

            let sum = parallel_reduce("sum", setting.range(space, 0..n), [[&x[0], &x[1]], [&x[2], &x[3]]],
                move |i, sum, x| for row in &x { for x in row { *sum += x[i]; } }, Sum::<f64>::new()).expect("covered");
            let wanted = parallel_reduce("sum", setting.range(space, 0..n), (&x[0], &x[1], &x[2], &x[3]),
                move |i, sum, (a, b, c, d)| { *sum += a[i]; *sum += b[i]; *sum += c[i]; *sum += d[i]; },
                Sum::<f64>::new()).expect("covered");
            assert_same(&sum, &wanted, n);
        }
    }

    fn scalars_in_any_form_are_copied(space, setting) {
        let mut y = space.zeros::<u64, 1>("y", [33]).expect("memory");
        let args = (&mut y, [1_u64, 2, 3], (4_u64, (5_u64, [[6_u64, 7], [8, 9]])), [(10_u64, 11_u32); 2], ());
        parallel_for("scalars", setting.range(space, 0..33), args, move |i, (mut y, a, (b, (c, d)), e, ())| {
            y[i] = a.iter().sum::<u64>() + b + c + d.iter().flatten().sum::<u64>() + e[1].0 + u64::from(e[0].1);
        }).expect("covered");
        assert!(y.to_host().expect("memory").iter().all(|&y| y == 66));
        // A scalar alone, an empty array of Views.
        let sum = parallel_reduce("alone", setting.range(space, 0..33), 3_u64, move |_, sum, a| *sum += a, Sum::<u64>::new());
        assert_eq!(sum.expect("nothing to cover"), 99);
        let none: [&View<f64, 1, S::Memory>; 0] = [];
        let sum = parallel_reduce("none", setting.range(space, 0..33), (none, 2_u64), move |_, sum, (none, a)| {
            *sum += a + none.len() as u64;
        }, Sum::<u64>::new());
        assert_eq!(sum.expect("nothing to cover"), 66);
    }

    fn kernels_take_twenty_four_arguments(space, setting) {
        for n in [0, 1, 65, 1000] {
            let x = inputs(space, n);
            let [mut y, mut z] = outputs::<_, 2>(space, n);
            let args = (
                &x[0], &x[1], &x[2], &x[3], &x[4], &x[5], &x[6], &x[7], &x[8], &x[0], &x[1],
                &x[2], &x[3], &x[4], &x[5], &x[6], &x[7], &x[8], 1.5, 2.5, &mut y, 3.5, 4.5, &mut z,
            );
            parallel_for("24", setting.range(space, 0..n), args,
                move |i, (a, b, c, d, e, f, g, h, j, k, l, m, o, p, q, r, s, t, u, v, mut y, w, x, mut z)| {
                    y[i] = u * (a[i] + b[i] + c[i] + d[i] + e[i] + f[i]) - v * (g[i] + h[i] + j[i]);
                    z[i] = w * (k[i] + l[i] + m[i] + o[i] + p[i] + q[i]) - x * (r[i] + s[i] + t[i]);
                }).expect("covered");
            let x: Vec<_> = x.iter().map(read).collect();
            let part = |i: usize, u: f64, v: f64| {
                u * (x[0][i] + x[1][i] + x[2][i] + x[3][i] + x[4][i] + x[5][i]) - v * (x[6][i] + x[7][i] + x[8][i])
            };
            assert_same(&read(&y), &(0..n).map(|i| part(i, 1.5, 2.5)).collect(), n);
            assert_same(&read(&z), &(0..n).map(|i| part(i, 3.5, 4.5)).collect(), n);
        }
    }

    fn a_simulation_of_twenty_views_passes_in_one_line(space, setting) {
        for n in borders(16) {
            let x = inputs(space, n);
            let [mut p0, mut p1, mut p2, mut m0, mut m1, mut m2, mut e0, mut e1, mut e2] = outputs::<_, 9>(space, n);
            let kinds = space.view_from_fn("kinds", [n], |[i]| (i % 3) as u32).expect("memory");
            let table = space.view_from_fn("table", [3], |[i]| rough(i)).expect("memory");
            let mut flow = Flow {
                dt: 0.125,
                density: &x[0],
                pressure: &x[1],
                temperature: &x[2],
                velocity: [&x[3], &x[4], &x[5]],
                force: (&x[6], &x[7], &x[8]),
                position: [&mut p0, &mut p1, &mut p2],
                momentum: [&mut m0, &mut m1, &mut m2],
                energies: Energies(&mut e0, &mut e1, &mut e2, &kinds),
                table: table.lookup(),
            };
            for _ in 0..2 {
                parallel_for("step", setting.range(space, 0..n), &mut flow, move |i, mut f| {
                    for d in 0..3 {
                        f.position[d][i] += f.dt * f.velocity[d][i];
                    }
                    f.momentum[0][i] += f.dt * f.force.0[i];
                    f.momentum[1][i] += f.dt * f.force.1[i];
                    f.momentum[2][i] += f.dt * f.force.2[i];
                    f.energies.0[i] = f.pressure[i] / f.density[i];
                    f.energies.1[i] += f.temperature[i] * f.table[f.energies.3[i] as usize];
                    f.energies.2[i] = f.position[0][i] - f.momentum[2][i];
                }).expect("covered");
            }
            let total = parallel_reduce("total", setting.range(space, 0..n), flow, move |i, sum, f| *sum += f.energies.1[i],
                Sum::<f64>::new()).expect("covered");

            let x: Vec<_> = x.iter().map(read).collect();
            let twice = |first: f64, each: f64| first + each + each;
            let each = |of: &dyn Fn(usize) -> f64| (0..n).map(of).collect::<Vec<f64>>();
            let table = read(&table);
            for (d, found) in [&p0, &p1, &p2].into_iter().enumerate() {
                assert_same(&read(found), &each(&|i| twice(0.0, 0.125 * x[3 + d][i])), "position");
            }
            for (d, found) in [&m0, &m1, &m2].into_iter().enumerate() {
                assert_same(&read(found), &each(&|i| twice(0.0, 0.125 * x[6 + d][i])), "momentum");
            }
            assert_same(&read(&e0), &each(&|i| x[1][i] / x[0][i]), "energy 0");
            let second = each(&|i| twice(0.0, x[2][i] * table[i % 3]));
            assert_same(&read(&e1), &second, "energy 1");
            assert_same(&total, &crate::oracle::reduce(&Sum::<f64>::new(), n, |i, sum| *sum += second[i]), "total");
            assert_same(&read(&e2), &each(&|i| twice(0.0, 0.125 * x[3][i]) - twice(0.0, 0.125 * x[8][i])), "energy 2");
        }
    }

    fn a_struct_has_any_number_of_fields_and_parameters(space, setting) {
        let n = 100;
        let x = space.view_from_fn("x", [n], |[i]| i as u64).expect("memory");
        let mut y = space.zeros::<u64, 1>("y", [n]).expect("memory");
        let [a, b, u, v, z] = [1, 2, 3, 4, 5];
        let many = Many {
            a, b, c: 0, d: 0, e: 0, f: 0, g: 0, h: 0, i: 0, j: 0, k: 0, l: 0, m: 0, n: 0, o: 0, p: 0, q: 0, r: 0, s: 0, t: 0,
            u, v, w: [6, 7], x: &x, y: &mut y, z,
        };
        parallel_for("many", setting.range(space, 0..n), many, move |i, mut many| many.y[i] = sum(i, &many)).expect("covered");
        let y = y.to_host().expect("memory");
        assert!((0..n).all(|i| y[i] == 1 + 4 + 9 + 16 + 65 + 30 + 7 * i as u64));
    }
}

/// Contributions and a scalar, in a struct.
#[derive(KernelArgs)]
struct Counting<'a, M: MemorySpace> {
    counts: Scatter<'a, f64, 1, M>,
    weights: &'a View<f64, 1, M>,
}

/// Contributions of every kind in one struct.
#[derive(KernelArgs)]
struct Tallies<'a, M: MemorySpace> {
    counts: [Scatter<'a, u64, 1, M>; 2],
    largest: spelt::Atomic<'a, u64, 1, M>,
    weights: &'a View<u64, 1, M>,
}

/// A matrix and its rows' results.
#[derive(KernelArgs)]
struct Rows<'a, M: MemorySpace> {
    a: &'a mut View<f64, 2, M>,
    sums: &'a mut View<f64, 1, M>,
}

/// A block for each team, in an array.
#[derive(KernelArgs)]
struct Blocked<'a, M: MemorySpace> {
    y: [spelt::NestedPartsMut<'a, f64, 1, M, Right, spelt::RawBlocks>; 1],
    scale: f64,
}

every! { on_every_setting:
    fn replicas_are_those_of_one_tuple(space, setting) {
        for n in [0, 1, 1000, 20_000] {
            let weights = space.view_from_fn("weights", [n], |[i]| rough(i)).expect("memory");
            let [mut flat, mut nested, mut within] = outputs::<_, 3>(space, 7);
            let args = (flat.scatter().duplicated(9), within.scatter().duplicated(4), &weights);
            parallel_for("flat", setting.range(space, 0..n), args, move |i, (counts, least, weights)| {
                counts.add(i.get() % 7, weights[i]);
                least.add(0, 1.0);
            }).expect("covered");
            // The smallest request of all, wherever it is: four parts.
            let args = [(Counting { counts: nested.scatter().duplicated(9), weights: &weights }, within.scatter().duplicated(4))];
            parallel_for("nested", setting.range(space, 0..n), args, move |i, [(f, least)]| {
                f.counts.add(i.get() % 7, f.weights[i]);
                least.add(0, 1.0);
            }).expect("covered");
            assert_same(&read(&nested), &read(&flat), n);
            assert_same(&read(&within)[0], &(2.0 * n as f64), n);
        }
    }
}

every! { on_every_setting:
    fn contributions_in_structs_reach_their_views(space, setting) {
        for n in [0, 1, 1000, 5000] {
            let weights = space.view_from_fn("weights", [n], |[i]| (i * 31 % 17) as u64).expect("memory");
            let [mut a, mut b, mut c] = ["a", "b", "c"].map(|label| space.zeros::<u64, 1>(label, [7]).expect("memory"));
            let mut largest = space.zeros::<u64, 1>("largest", [1]).expect("memory");
            let tallies = Tallies { counts: [a.scatter(), b.scatter()], largest: largest.atomic(), weights: &weights };
            let args = (tallies, [(3_u64, c.scatter())]);
            parallel_for("tallies", setting.range(space, 0..n), args, move |i, (f, [(three, rest)])| {
                let (bin, weight) = (i.get() % 7, f.weights[i]);
                f.counts[0].add(bin, weight);
                f.counts[1].add(6 - bin, 1);
                f.largest.max(0, weight);
                rest.add(bin, three);
            }).expect("covered");
            let of = |bin: usize| (0..n).filter(move |i| i % 7 == bin);
            let read = |view: &View<u64, 1, S::Memory>| view.to_host().expect("memory").to_vec();
            let bins = |count: &dyn Fn(usize) -> u64| (0..7).map(count).collect::<Vec<_>>();
            assert_eq!(read(&a), bins(&|bin| of(bin).map(|i| (i * 31 % 17) as u64).sum()), "{n}");
            assert_eq!(read(&b), bins(&|bin| of(6 - bin).count() as u64), "{n}");
            assert_eq!(read(&c), bins(&|bin| 3 * of(bin).count() as u64), "{n}");
            assert_eq!(read(&largest)[0], (0..n).map(|i| (i * 31 % 17) as u64).max().unwrap_or(0), "{n}");
        }
    }
}

every! { on_every_space:
    fn teams_take_structs_and_boxes_too(space, _setting) {
        let (rows, columns) = (13, 70);
        let mut a = space.zeros::<f64, 2>("a", [rows, columns]).expect("memory");
        let mut sums = space.zeros::<f64, 1>("sums", [rows]).expect("memory");
        let mut args = Rows { a: &mut a, sums: &mut sums };
        parallel_for("box", space.md_range([0..rows, 0..columns]), (&mut args, 0.5), move |i, (mut f, s)| {
            f.a[i] = s * (i.get()[0] * 70 + i.get()[1]) as f64;
        }).expect("covered");
        parallel_for("teams", space.team(rows, AUTO), args, move |team, mut f| {
            team.parallel_for(team.thread_range(0..columns), |rj| f.a[rj] += 1.0);
            let sum: f64 = team.parallel_reduce(team.thread_range(0..columns), |rj, sum| *sum += f.a[rj], &Sum::new());
            team.single(|r| f.sums[r] = sum);
        }).expect("covered");
        let (a, sums) = (a.to_host().expect("memory"), read(&sums));
        for r in 0..rows {
            assert!((0..columns).all(|j| a[[r, j]] == 0.5 * (r * 70 + j) as f64 + 1.0));
            let wanted = crate::oracle::reduce(&Sum::<f64>::new(), columns, |j, sum| *sum += a[[r, j]]);
            assert_same(&sums[r], &wanted, r);
        }
    }

    fn blocks_of_teams_lie_in_structs_and_arrays(space, _setting) {
        for (n, k) in [(0, 7), (1, 7), (100, 7), (98, 7)] {
            let mut y = space.view_from_fn("y", [n], |[i]| rough(i)).expect("memory");
            let mut blocked = Blocked { y: [y.by_blocks_mut(k).nested()], scale: 0.5 };
            parallel_for("teams", space.team(n.div_ceil(k), AUTO), (3, &mut blocked), move |team, (three, mut f)| {
                let len = f.y[0].len();
                team.parallel_for(team.thread_range(len), |rj| f.y[0][rj] *= f.scale * f64::from(three));
            }).expect("covered");
            assert_same(&read(&y), &(0..n).map(|i| rough(i) * (0.5 * 3.0)).collect(), n);
        }
    }

    fn a_member_that_does_not_cover_is_named(space, _setting) {
        let long = space.zeros::<f64, 1>("long", [10]).expect("memory");
        let mut short = space.zeros::<f64, 1>("short", [9]).expect("memory");
        let text = |error: spelt::Result<()>| {
            let error = error.expect_err("the View is too small");
            assert_eq!(error.kind(), spelt::ErrorKind::Extents);
            error.to_string()
        };
        let wanted = "kernel `k`: view `short` with extents [9] does not cover the indices [0..10]";
        let range = || space.range(0..10);
        let error = text(parallel_for("k", range(), ([&long, &long], (1, [[&long, &short]])), move |_, _| ()));
        assert!(error.starts_with(wanted), "{error}");
        let mut a = space.zeros::<f64, 2>("a", [10, 10]).expect("memory");
        let error = text(parallel_for("k", range(), Rows { a: &mut a, sums: &mut short }, move |i, mut f| f.sums[i] = 1.0));
        assert!(error.starts_with(wanted), "{error}");
        let mut args = (2, Rows { a: &mut a, sums: &mut short });
        let error = text(parallel_for("k", space.team(10, 1), &mut args.1, move |_, _| ()));
        assert!(error.contains("view `short` with extents [9] does not cover the league 0..10"), "{error}");
        assert!(short.to_host().expect("memory").iter().all(|&y| y == 0.0), "something ran");
    }
}

//! Lines from kernels: in the order of the indices, the same text everywhere, the first ones where there is no room for all.

use spelt::prelude::*;

use crate::spaces::every;

/// The text of these lines in a buffer of `room`, by the promise.
fn expected(label: &str, room: usize, lines: impl IntoIterator<Item = String>) -> String {
    let mut lines: Vec<String> = lines.into_iter().collect();
    if lines.len() > room {
        lines.truncate(room);
        lines.push(format!("{label}: later lines were dropped, there is room for {room}"));
    }
    lines.into_iter().map(|line| line + "\n").collect()
}

fn speaks(i: usize) -> bool {
    i * i % 11 == 3
}

every! { on_every_setting:
    fn lines_come_in_order_and_the_first_are_kept(space, setting) {
        let n = if S::IS_DEVICE { 600 } else { 5000 };
        let all = (0..n).filter(|&i| speaks(i)).count();
        for room in [0, 1, 2, 50, all - 1, all, all + 1, 3 * all] {
            let mut printer = Printer::new(space, "some", room).expect("memory");
            let arguments = (&mut printer, 0.5_f64);
            parallel_for("speak", setting.range(space, 0..n), arguments, move |i, (mut print, half)| {
                if speaks(i.get()) {
                    print.line(i, [i.get() as f64, half]);
                }
            }).expect("nothing can fail");
            let text = printer.text(|[i], [same, half]| format!("{i} {same} {half}")).expect("memory");
            let lines = (0..n).filter(|&i| speaks(i)).map(|i| format!("{i} {i} 0.5"));
            assert_eq!(text, expected("some", room, lines), "room for {room}");
            assert_eq!(printer.text(|_, _| "").expect("memory"), "", "it is empty again");
        }
    }

    fn lines_of_an_iteration_keep_their_order_and_launches_add_up(space, setting) {
        let mut printer = Printer::new(space, "pairs", 100).expect("memory");
        for launch in [0_u8, 1] {
            let policy = setting.md_range(space, [0..3, 0..4]).iterate(Iterate::Left);
            parallel_for("speak", policy, &mut printer, move |i, mut print| {
                let [a, b] = i.get();
                if (a + b) % 2 == usize::from(launch) {
                    (0..a).for_each(|line| print.line(i, (line, launch)));
                }
            }).expect("nothing can fail");
        }
        let text = printer.text(|[a, b], (line, launch)| format!("{a} {b} {line} {launch}")).expect("memory");
        let indices = (0..3).flat_map(|a| (0..4).flat_map(move |b| (0..a).map(move |line| (a, b, line))));
        let lines = indices.map(|(a, b, line)| format!("{a} {b} {line} {}", (a + b) % 2));
        assert_eq!(text, expected("pairs", 100, lines));
    }

    fn reductions_and_scans_print(space, setting) {
        let n = if S::IS_DEVICE { 600 } else { 5000 };
        let x = space.view_from_fn("x", [n], |[i]| ((i * 37) % 101) as f64).expect("memory");
        let mut printer = Printer::new(space, "small", 20).expect("memory");
        let best = parallel_map_reduce("least", setting.range(space, 0..n), (&x, &mut printer), move |i, (x, mut print)| {
            if x[i] < 5.0 {
                print.line(i, x[i]);
            }
            x[i]
        }, MinLoc::<f64>::at_index()).expect("covered");
        let small = |i: &usize| (i * 37) % 101 < 5;
        let lines = || (0..n).filter(small).map(|i| format!("{i} {}", (i * 37) % 101));
        assert_eq!(best.loc, 0);
        assert_eq!(printer.text(|[i], x| format!("{i} {x}")).expect("memory"), expected("small", 20, lines()));
        parallel_scan("ranks", setting.range(space, 0..n), (&x, &mut printer), move |i, count, last, (x, mut print)| {
            if x[i] < 5.0 {
                *count += 1;
                if last {
                    print.line(i, *count as f64);
                }
            }
        }, Sum::<usize>::new()).expect("covered");
        let ranks = (0..n).filter(small).enumerate().map(|(rank, i)| format!("{i} {}", rank + 1));
        assert_eq!(printer.text(|[i], rank| format!("{i} {rank}")).expect("memory"), expected("small", 20, ranks));
    }
}

every! { on_every_space:
    fn teams_print(space, _setting) {
        for size in [1, space.concurrency().min(3)] {
            let mut leagues = Printer::new(space, "leagues", 100).expect("memory");
            let mut pairs = Printer::new(space, "pairs", 100).expect("memory");
            // Other spaces of the host than `Threads` have no teams of several threads.
            let launched = parallel_for("teams", space.team(5, size), (&mut leagues, &mut pairs), move |team, (mut leagues, mut pairs)| {
                let rank = team.league_rank();
                team.single(|league| leagues.line(league, 10 * rank));
                let range = team.thread_range(0..3);
                team.parallel_for(range, |rj| pairs.line(rj, rj.inner() as u8));
            });
            if launched.is_err() {
                assert!(size > 1);
                continue;
            }
            let lines = (0..5).map(|r| format!("{r} {}", 10 * r));
            assert_eq!(leagues.text(|[r], ten| format!("{r} {ten}")).expect("memory"), expected("leagues", 100, lines));
            let lines = (0..5).flat_map(|r| (0..3).map(move |j| format!("{r} {j} {j}")));
            assert_eq!(pairs.text(|[r, j], same| format!("{r} {j} {same}")).expect("memory"), expected("pairs", 100, lines));
        }
    }
}

//! `SPELT_TOOLS=check`, in child processes: each is this program, which runs the ignored test `child` alone.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use spelt_core::reducers::Max;
use spelt_core::tools::Number;
use spelt_core::{
    AnyHost, Element, ExecutionSpace, HostSpace, KernelArgs, Left, OffsetView, Offsets, Printer, Serial,
    ThreadsBuilder, View, parallel_fill, parallel_for, parallel_map_reduce, parallel_reduce_into,
    parallel_scan, parallel_scan_into, reducers::Sum,
};

/// The space of the child, and the difference that it makes.
const SPACE: &str = "SPELT_TEST_SPACE";
const CHANGE: &str = "SPELT_TEST_CHANGE";

#[derive(Clone, Copy, Debug, Element, PartialEq)]
#[element(crate = "spelt_core")]
#[repr(C)]
struct Cell {
    kind: Kind,
    mass: f64,
    speed: [f32; 3],
}

#[derive(Clone, Copy, Debug, Element, PartialEq)]
#[element(crate = "spelt_core")]
#[repr(u8)]
enum Kind {
    Air,
    Rock,
}

/// An element whose numbers are in different places.
#[derive(Clone, Copy, Debug, Element)]
#[element(crate = "spelt_core")]
#[repr(u8)]
enum Shape {
    Ball(f64) = 0,
    Box(u8, u16) = 1,
}

#[derive(KernelArgs)]
#[kernel_args(crate = "spelt_core")]
struct Fields<'a> {
    read: &'a View<f64, 1>,
    written: &'a mut View<f64, 1>,
}

/// The program: every adapter that writes.
#[test]
#[ignore = "the child of the other tests"]
fn child() {
    let space: AnyHost = match std::env::var(SPACE).as_deref() {
        Ok("threads") => ThreadsBuilder::new().num_threads(2).build().expect("threads").into(),
        _ => Serial::new().into(),
    };
    let change = std::env::var(CHANGE).unwrap_or_default();
    let n = 1000;
    let changed = |name: &str| change == name;
    let squares = space.uninit::<f64, 1>("squares", [n]).expect("memory");
    let added = match change.as_str() {
        "squares" => 0.5,
        "input" => f64::NAN,
        _ => 0.0,
    };
    let squares = parallel_fill("fill", space.range(0..n), squares, (), |i, ()| {
        (i.get() * i.get()) as f64 + if i.get() == 777 { added } else { 0.0 }
    })
    .expect("all indices");

    let mut left = View::<u32, 2, HostSpace, Left>::zeros_in(Left, "left", [40, 50]).expect("memory");
    parallel_for("layout", space.md_range([0..40, 0..50]), &mut left, |i, mut left| {
        let [row, column] = i.index();
        left[i] = (100 * row + column) as u32;
    })
    .expect("covered");

    let mut small = View::<i16, 1>::zeros("small", [8]).expect("memory");
    let wanted = changed("small");
    parallel_for("small", space.range(2..5), small.partial_mut(), |i, mut small| {
        if let Some(x) = small.get_mut(i) {
            *x = -7 - i16::from(wanted && i.get() == 3);
        }
    })
    .expect("partial");

    let mut cells = View::<Cell, 1>::zeros("cells", [n]).expect("memory");
    let nan = changed("nan");
    parallel_for("cells", space.range(0..n), &mut cells, |i, mut cells| {
        let i_f = i.get() as f32;
        let kind = if i.get() % 2 == 0 { Kind::Air } else { Kind::Rock };
        let last = if nan && i.get() >= 900 { f32::NAN } else { 1.0 };
        cells[i] = Cell { kind, mass: 2.0, speed: [i_f, -i_f, last] };
    })
    .expect("covered");

    let mut shapes = View::<Shape, 1>::zeros("shapes", [3]).expect("memory");
    parallel_for("shapes", space.range(0..3), &mut shapes, |i, mut shapes| {
        shapes[i] = if i.get() == 1 { Shape::Box(1, 2) } else { Shape::Ball(0.5) };
    })
    .expect("covered");

    let mut counts = View::<u32, 1>::zeros("counts", [3]).expect("memory");
    let mut sums = View::<f64, 1>::zeros("sums", [200]).expect("memory");
    parallel_for("anywhere", space.range(0..n), (counts.atomic(), sums.scatter()), |i, (counts, sums)| {
        counts.inc(i.get() % 3);
        sums.add(i.get() % 200, 0.1);
    })
    .expect("any index");

    let mut table = View::<usize, 2>::zeros("table", [30, 20]).expect("memory");
    parallel_for("rows", space.range(0..30), table.by_rows_mut(), |i, mut table| {
        table.row_mut(i).iter_mut().enumerate().for_each(|(j, x)| *x = i.get() * j);
    })
    .expect("covered");
    let offsets =
        Offsets::new(View::from_vec("offsets", [4], vec![0, 3, 3, 8]).expect("memory")).expect("they grow");
    let mut segments = View::<u64, 1>::zeros("segments", [8]).expect("memory");
    parallel_for("segments", space.range(0..3), segments.by_segments_mut(&offsets), |i, mut segments| {
        segments.part_mut(i).iter_mut().for_each(|x| *x = i.get() as u64 + 1);
    })
    .expect("covered");

    let origin = View::<f64, 1>::zeros("origin", [5]).expect("memory").with_origin([-2]);
    let mut origin: OffsetView<f64, 1> = origin.expect("in range");
    let infinite = changed("infinite");
    parallel_for("origin", space.signed_range(-2..3), &mut origin, |i, mut origin| {
        origin[i] = if infinite && i.get() == 0 { f64::INFINITY } else { i.get() as f64 };
    })
    .expect("covered");

    let mut doubled = View::<f64, 1>::zeros("doubled", [n]).expect("memory");
    let fields = Fields { read: &squares, written: &mut doubled };
    parallel_for("struct", space.range(0..n), fields, |i, mut fields| {
        fields.written[i] = 2.0 * fields.read[i];
    })
    .expect("covered");
    parallel_scan(
        "scan",
        space.range(0..n),
        (&squares, &mut doubled),
        |i, sum, is_final, (squares, mut doubled)| {
            *sum += squares[i];
            if is_final {
                doubled[i] = *sum;
            }
        },
        Sum::<f64>::new(),
    )
    .expect("covered");
    parallel_map_reduce("max", space.range(0..n), &squares, |i, squares| squares[i], Max::<f64>::new())
        .expect("covered");
    let mut total = View::<f64, 0>::zeros("total", []).expect("memory");
    parallel_reduce_into(
        "reduce into",
        space.range(0..n),
        &squares,
        |i, sum, squares| *sum += squares[i],
        Sum::<f64>::new(),
        &mut total,
    )
    .expect("covered");
    let mut last = View::<f64, 0>::zeros("last", []).expect("memory");
    parallel_scan_into(
        "scan into",
        space.range(0..n),
        (&squares, &mut doubled),
        |i, sum, is_final, (squares, mut doubled)| {
            *sum += squares[i];
            if is_final {
                doubled[i] -= *sum;
            }
        },
        Sum::<f64>::new(),
        &mut last,
    )
    .expect("covered");
    let unfinished = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        parallel_reduce_into(
            "fails into",
            space.range(0..n),
            (),
            |i, _, ()| assert!(i.get() < 500, "as asked"),
            Sum::<f64>::new(),
            &mut total,
        )
    }));
    assert!(unfinished.is_err());
    if changed("launch") {
        parallel_for("more", space.range(0..1), (), |_, ()| {}).expect("no Views");
    }

    let mut printer = Printer::<u32, 1>::new(&space, "lines", 3).expect("memory");
    parallel_for("lines", space.range(0..3), &mut printer, |i, mut printer| printer.line(i, 1))
        .expect("no Views");
    let unwritten = space.uninit::<f64, 1>("unwritten", [n]).expect("memory");
    let failed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        parallel_fill("fails", space.range(0..n), unwritten, (), |i, ()| {
            assert!(i.get() < 500, "as asked");
            0.0
        })
    }));
    assert!(failed.is_err());
}

#[derive(Clone, Copy, Debug, Element)]
#[element(crate = "spelt_core")]
#[repr(C)]
struct Generic<T, const N: usize> {
    first: T,
    others: [(T, Kind); N],
}

#[derive(Clone, Copy, Element)]
#[element(crate = "spelt_core")]
#[repr(C, packed)]
struct Packed(u8, u64, bool);

#[test]
fn elements_name_their_numbers() {
    fn of<T: Element>() -> Option<Vec<(usize, &'static str)>> {
        let mut numbers = Vec::new();
        T::numbers(&mut |offset, number| numbers.push((offset, number.name()))).then_some(numbers)
    }
    assert_eq!(of::<Packed>(), Some(vec![(0, "u8"), (1, "u64"), (9, "bool")]));
    let pairs = of::<Generic<f32, 2>>().expect("numbers");
    let names: Vec<_> = pairs.iter().map(|(_, name)| *name).collect();
    assert_eq!(names, ["f32", "f32", "u8", "f32", "u8"]);
    assert_eq!((pairs[0].0, pairs[3].0 - pairs[1].0), (0, 8));
    assert_eq!(of::<Generic<Shape, 1>>(), None);
    assert_eq!(of::<[(); 3]>(), Some(vec![]));
}

/// A folder that goes away.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("spelt-check-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        Self(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn run(tools: &str, space: &str, change: &str) -> Output {
    Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "check::child", "--ignored", "--nocapture", "--test-threads=1"])
        .env("SPELT_TOOLS", tools)
        .env(SPACE, space)
        .env(CHANGE, change)
        .output()
        .expect("the child")
}

fn lines(file: &Path, space: &str, change: &str) -> Vec<Value> {
    let output = run(&format!("check:{}", file.display()), space, change);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    read(file)
}

fn read(file: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(file).expect("a file");
    let mut lines = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    assert_eq!(lines.next().expect("a line")["spelt_check"], 1);
    lines.collect()
}

/// The line of the launch with this label.
fn of<'a>(lines: &'a [Value], label: &str) -> &'a Value {
    lines.iter().find(|line| line["label"] == label).unwrap_or_else(|| panic!("no launch `{label}`"))
}

#[test]
fn hashes_are_those_of_any_threads_and_any_run() {
    let folder = Folder::new("hashes");
    let serial = lines(&folder.0.join("serial"), "serial", "");
    let threads = lines(&folder.0.join("threads"), "threads", "");
    assert_eq!(serial.len(), threads.len());
    for (a, b) in serial.iter().zip(&threads) {
        assert_eq!((&a["launch"], &a["label"], &a["views"]), (&b["launch"], &b["label"], &b["views"]));
        assert_ne!(a["space"], b["space"]);
    }
    let written = |label: &str| {
        let views = of(&serial, label)["views"].as_array().expect("an array");
        views.iter().map(|view| view["label"].as_str().expect("a label")).collect::<Vec<_>>()
    };
    assert_eq!(written("fill"), ["squares"]);
    assert_eq!(written("anywhere"), ["counts", "sums"]);
    assert_eq!(written("struct"), ["doubled"]);
    assert_eq!(written("segments"), ["segments"]);
    assert_eq!(written("max"), [""; 0]);
    assert_eq!(written("lines"), [""; 0]);
    // The View that gets a result is the last one.
    assert_eq!(written("reduce into"), ["total"]);
    assert_eq!(written("scan into"), ["doubled", "last"]);
    let sum: f64 = (0..1000).map(|i| f64::from(i * i)).sum();
    let digits: String = sum.to_ne_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(of(&serial, "reduce into")["views"][0]["contents"], digits);
    assert_eq!(of(&serial, "scan into")["views"][1]["contents"], digits);
    assert_eq!(of(&serial, "fails into")["views"][0]["unread"], "the launch has failed");
    let one = |label: &str| &of(&serial, label)["views"][0];
    assert_eq!(one("cells")["numbers"], serde_json::json!(["u8", "f64", "f32", "f32", "f32"]));
    assert_eq!(one("small")["contents"], "00000000f9fff9fff9ff000000000000");
    assert_eq!(one("origin")["origin"], serde_json::json!([-2]));
    assert_eq!(one("shapes")["unread"], "its elements are not made of numbers");
    // Nothing reads memory that a launch was to fill and has not.
    let failed = of(&serial, "fails");
    assert_eq!(
        (&failed["failed"], &failed["views"][0]["unread"]),
        (&true.into(), &"the launch has failed".into())
    );
    // The layout does not count: these are the bytes in the order of the indices.
    let left = one("layout");
    assert_eq!(
        (&left["block_elements"], left["blocks"].as_str().expect("text").len()),
        (&32.into(), 16 * 63)
    );
}

#[test]
fn a_changed_element_changes_its_block_and_the_launches_that_follow_from_it() {
    let folder = Folder::new("changed");
    let before = lines(&folder.0.join("a"), "serial", "");
    let after = lines(&folder.0.join("b"), "serial", "squares");
    let differing: Vec<_> = before
        .iter()
        .zip(&after)
        .filter(|(a, b)| a["views"] != b["views"])
        .map(|(a, _)| a["label"].as_str().expect("a label"))
        .collect();
    assert_eq!(differing, ["fill", "struct", "scan", "reduce into", "scan into"]);
    let blocks = |lines: &[Value]| of(lines, "fill")["views"][0]["blocks"].as_str().expect("text").to_owned();
    let (a, b) = (blocks(&before), blocks(&after));
    let differing: Vec<_> = (0..a.len() / 16).filter(|i| a[16 * i..][..16] != b[16 * i..][..16]).collect();
    let block_elements = of(&before, "fill")["views"][0]["block_elements"].as_u64().expect("a number");
    assert_eq!(differing, [777 / block_elements as usize]);
}

#[test]
fn nan_and_infinity_are_named_with_their_first_index() {
    let text = |change: &str| String::from_utf8_lossy(&run("check", "threads", change).stderr).into_owned();
    let nan = text("nan");
    assert!(
        nan.contains(
            "`cells` on Threads, has left 100 NaN and 0 infinite numbers in `cells`: the first is a NaN at [900] in number 4"
        ),
        "{nan}"
    );
    let infinite = text("infinite");
    assert!(
        infinite.contains("0 NaN and 1 infinite numbers in `origin`: the first is an infinity at [0]\n"),
        "{infinite}"
    );
    // The kernel that has made it is told from one that has read it.
    let input = text("input");
    let line = |label: &str| {
        let named = format!("`{label}` on ");
        input.lines().find(|line| line.contains(&named)).unwrap_or_else(|| panic!("no {named}in {input}"))
    };
    assert!(line("fill").ends_with("in `squares`: the first is a NaN at [777]"), "{input}");
    assert!(
        line("struct").ends_with(
            "in `doubled`: the first is a NaN at [777]; its input `squares` already had NaN or infinity"
        ),
        "{input}"
    );
    assert!(
        line("reduce into").ends_with(
            "in `total`: the first is a NaN at []; its input `squares` already had NaN or infinity"
        ),
        "{input}"
    );
    let clean = text("");
    let last = clean.lines().find(|line| line.starts_with("spelt: check")).expect("a line");
    let launches = last
        .strip_prefix("spelt: check: no NaN or infinity in what ")
        .and_then(|rest| rest.strip_suffix(" launches have written"));
    assert!(launches.is_some_and(|number| number.parse::<u32>().is_ok_and(|number| number > 5)), "{clean}");
    assert_eq!(clean.matches("spelt: check").count(), 1, "{clean}");
    assert!(!nan.contains("no NaN"), "{nan}");
}

#[test]
fn the_contents_of_one_launch_can_be_written_in_full() {
    let folder = Folder::new("full");
    let file = folder.0.join("a:b");
    assert!(run(&format!("check:{}:1", file.display()), "serial", "").status.success());
    let lines = read(&file);
    assert_eq!(lines[0]["views"][0]["file"], "a:b.1.1");
    let bytes = std::fs::read(folder.0.join("a:b.1.1")).expect("the contents");
    let expected: Vec<u8> = (0..1000).flat_map(|i| f64::from(i * i).to_ne_bytes()).collect();
    assert_eq!(bytes, expected);
    assert!(lines[1]["views"][0].get("file").is_none());
    assert_eq!(std::fs::read_dir(&folder.0).expect("a folder").count(), 2);
}

#[test]
fn a_file_that_cannot_be_created_is_the_error_of_the_first_launch() {
    let output = run("log,check:/no/such/folder/a", "serial", "");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success());
    assert!(text.contains("/no/such/folder/a cannot be created"), "{text}");
    // No tool is installed then.
    assert!(!text.contains("spelt: launch"), "{text}");
}

/// The number of kernels that the check names at most. Source: `MAX_NAMED` of `core/src/tools/check`.
const MAX_NAMED: usize = 10_000;

/// The program: more kernels than that leave NaN in a View, and the first one twice.
#[test]
#[ignore = "the child of the other test"]
fn child_of_many_kernels() {
    let mut x = View::<f32, 1>::zeros("x", [1]).expect("memory");
    for label in (0..MAX_NAMED + 7).chain([0]) {
        let label = format!("step {label}");
        parallel_for(&label, Serial::new().range(0..1), &mut x, |i, mut x| x[i] = f32::NAN).expect("covered");
    }
}

#[test]
fn kernels_beyond_the_limit_are_counted_and_not_named() {
    let mut child = Command::new(std::env::current_exe().expect("this program"));
    child.args(["--exact", "check::child_of_many_kernels", "--ignored", "--nocapture", "--test-threads=1"]);
    let output = child.env("SPELT_TOOLS", "check").output().expect("the child");
    assert!(output.status.success());
    let text = String::from_utf8_lossy(&output.stderr);
    let mut named = text.lines().filter(|line| line.contains("has left 1 NaN and 0 infinite numbers in `x`"));
    let last = format!("launch {MAX_NAMED}, `step {}` on Serial, ", MAX_NAMED - 1);
    assert_eq!(
        (named.clone().count(), named.next_back().is_some_and(|line| line.contains(&last))),
        (MAX_NAMED, true)
    );
    let more = "spelt: check: later launches of these kernels have left NaN or infinity 8 more times";
    assert_eq!(text.lines().last(), Some(more));
}

/// The numbers of an element, as `check` and other tools read them: offsets and types.
fn numbers<T: Element>() -> Option<Vec<(usize, Number)>> {
    let mut all = Vec::new();
    T::numbers(&mut |offset, number| all.push((offset, number))).then_some(all)
}

#[test]
fn bytes_of_enums_that_may_be_padding_are_not_read() {
    /// Enums whose discriminant is all of them, and those with bytes behind it.
    macro_rules! enums {
        ($($name:ident: $($repr:ident $(($align:literal))?),*;)*) => {
            $(
                #[derive(Clone, Copy, Element)]
                #[element(crate = "spelt_core")]
                #[repr($($repr $(($align))?),*)]
                #[allow(dead_code)]
                enum $name { A, B }
            )*
        };
    }
    enums! {
        Byte: u8;
        Half: i16;
        Wide: u128;
        Pointer: usize;
        Aligned: u8, align(2);
        AlignedToSixteen: u8, align(16);
        AlignedToThirtyTwo: u8, align(32);
        AsItIs: u8, align(1);
    }
    assert_eq!(numbers::<Byte>(), Some(vec![(0, Number::U8)]));
    assert_eq!(numbers::<Half>(), Some(vec![(0, Number::U16)]));
    assert_eq!(numbers::<Wide>(), Some(vec![(0, Number::U128)]));
    assert_eq!(numbers::<AsItIs>(), Some(vec![(0, Number::U8)]));
    assert_eq!(numbers::<Pointer>(), None, "an enum without an integer has that size as well");
    assert_eq!(numbers::<Aligned>(), None);
    assert_eq!(numbers::<AlignedToSixteen>(), None);
    assert_eq!(numbers::<AlignedToThirtyTwo>(), None);
}

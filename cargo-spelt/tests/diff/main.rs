//! `cargo spelt diff`: the first difference between two files of checks.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder that goes away, and in which the command runs.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("diff-{name}"));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder");
        Self(folder)
    }

    fn write<S: AsRef<str>>(&self, name: &str, lines: &[S]) {
        let text: String = lines.iter().map(|line| format!("{}\n", line.as_ref())).collect();
        fs::write(self.0.join(name), format!("{{\"spelt_check\":1}}\n{text}")).expect("a file");
    }

    /// Status and output of `cargo spelt diff` with these arguments.
    fn diff(&self, arguments: &[&str]) -> (i32, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_cargo-spelt"))
            .args(["spelt", "diff"])
            .args(arguments)
            .current_dir(&self.0)
            .output()
            .expect("the command starts");
        let text = [output.stdout, output.stderr].concat();
        (output.status.code().expect("it ends"), String::from_utf8(text).expect("UTF-8"))
    }

    /// Status and output for two files of these launches.
    fn compare<S: AsRef<str>>(&self, a: &[S], b: &[S]) -> (i32, String) {
        self.write("a", a);
        self.write("b", b);
        self.diff(&["a", "b"])
    }
}

fn launch(number: u32, label: &str, space: &str, views: &str) -> String {
    format!(
        "{{\"launch\":{number},\"label\":\"{label}\",\"pattern\":\"for\",\"space\":\"{space}\",\"iterations\":3,\"views\":[{views}]}}"
    )
}

fn view(label: &str, members: &str) -> String {
    format!("{{\"label\":\"{label}\",{members}}}")
}

/// A View of two `u16`.
fn small(hash: &str, contents: &str) -> String {
    view(
        "x",
        &format!("\"extents\":[2],\"numbers\":[\"u16\"],\"hash\":\"{hash}\",\"contents\":\"{contents}\""),
    )
}

/// A View of 2 by 50 pairs of `i32` and `f32`, in blocks of 40.
fn large(blocks: [&str; 3], more: &str) -> String {
    let blocks: String = blocks.iter().map(|block| format!("{block:0>16}")).collect();
    let hash =
        format!("\"extents\":[2,50],\"origin\":[-1,0],\"numbers\":[\"i32\",\"f32\"],\"hash\":\"{blocks}\"");
    view("y", &format!("{hash},\"block_elements\":40,\"blocks\":\"{blocks}\"{more}"))
}

#[test]
fn equal_runs_on_any_space() {
    let folder = Folder::new("equal");
    let unread = view("s", "\"extents\":[3],\"unread\":\"its elements are not made of numbers\"");
    let run = |space: &str| [launch(1, "f", space, &small("aa", "01000200")), launch(2, "g", space, &unread)];
    let (status, text) = folder.compare(&run("Serial"), &run("Cuda"));
    assert_eq!(
        (status, &text[..]),
        (0, "no difference in 2 launches, except 1 times a View that could not be read\n")
    );
}

#[test]
fn the_element_of_a_small_view_is_named() {
    let folder = Folder::new("small");
    let same = launch(1, "f", "Serial", &small("aa", "01000200"));
    let a = [same.clone(), launch(2, "g", "Serial", &small("bb", "01000200"))];
    let b = [same, launch(2, "g", "Serial", &small("cc", "01000300"))];
    let (status, text) = folder.compare(&a, &b);
    let expected = "launch 2, for `g` on Serial differs\n  `x` differs first at [1]\n  a: 2 (bits 0x0002)\n  b: 3 (bits 0x0003)\n";
    assert_eq!((status, &text[..]), (1, expected));
}

#[test]
fn a_large_view_has_a_block_first_and_then_its_element() {
    let folder = Folder::new("large");
    let run = |space: &str, blocks, more: &str| [launch(7, "flux", space, &large(blocks, more))];
    let (status, text) =
        folder.compare(&run("Serial", ["1", "2", "3"], ""), &run("Threads", ["1", "4", "5"], ""));
    assert_eq!(status, 1);
    assert!(text.contains("`y` differs in 2 of 3 blocks, first between [-1, 40] and [0, 29]\n"), "{text}");
    assert!(
        text.contains("a: launch 7, for `flux` on Serial\n  b: launch 7, for `flux` on Threads\n"),
        "{text}"
    );
    assert!(text.contains("SPELT_TOOLS=check:a:7 and SPELT_TOOLS=check:b:7"), "{text}");

    let bytes = |changed: f32| -> Vec<u8> {
        let element =
            |i: i32| [i.to_le_bytes(), (if i == 57 { changed } else { 0.5 }).to_le_bytes()].concat();
        (0..100).flat_map(element).collect()
    };
    fs::write(folder.0.join("a.7.1"), bytes(0.5)).expect("a file");
    fs::write(folder.0.join("b.7.1"), bytes(f32::NAN)).expect("a file");
    let a = run("Serial", ["1", "2", "3"], ",\"file\":\"a.7.1\"");
    let b = run("Serial", ["1", "4", "3"], ",\"file\":\"b.7.1\"");
    let (status, text) = folder.compare(&a, &b);
    let place = "`y` differs first at [0, 7], in number 1 of the element (f32)\n";
    assert_eq!(status, 1);
    assert!(text.contains(place), "{text}");
    assert!(text.ends_with("  a: 0.5 (bits 0x3f000000)\n  b: NaN (bits 0x7fc00000)\n"), "{text}");

    // A rank's file has the rank's number, which the program adds by itself.
    for (written, given) in [("a.12.json", "a.json"), ("a.12", "a"), ("a.1.json", "a.1.json"), ("a12", "a12")]
    {
        let lines = format!("{{\"spelt_check\":1,\"rank\":12}}\n{}\n", run("Serial", ["1", "2", "3"], "")[0]);
        fs::write(folder.0.join(written), lines).expect("a file");
        folder.write("b", &run("Serial", ["1", "4", "3"], ""));
        let (status, text) = folder.diff(&[written, "b"]);
        let wanted = format!("SPELT_TOOLS=check:{given}:7 and SPELT_TOOLS=check:b:7");
        assert!(status == 1 && text.contains(&wanted), "{text}");
    }
    folder.write("b", &b);

    // Files of other runs, and one that is not there.
    fs::write(folder.0.join("b.7.1"), bytes(0.5)).expect("a file");
    let (status, text) = folder.diff(&["a", "b"]);
    assert!(status == 2 && text.contains("are the same and their hashes are not"), "{text}");
    fs::write(folder.0.join("b.7.1"), &bytes(0.5)[..80]).expect("a file");
    let (status, text) = folder.diff(&["a", "b"]);
    assert!(status == 2 && text.contains("have different sizes"), "{text}");
    fs::remove_file(folder.0.join("b.7.1")).expect("a file");
    let (status, text) = folder.diff(&["a", "b"]);
    assert!(status == 2 && text.contains("cannot open b.7.1"), "{text}");
}

#[test]
fn other_launches_views_and_outcomes_are_told() {
    let folder = Folder::new("other");
    let f = launch(1, "f", "Serial", &small("aa", "01000200"));
    let g = launch(2, "g", "Serial", "");
    let (status, text) = folder.compare(&[&f, &g], &[&f]);
    let ends =
        "b ends after 1 launches, which are the same in both; a goes on with launch 2, for `g` on Serial\n";
    assert_eq!((status, &text[..]), (1, ends));
    assert!(folder.compare(&[&f], &[&f, &g]).1.starts_with("a ends after 1 launches"));

    let (status, text) = folder.compare(&[&f], &[&g]);
    assert_eq!((status, text.lines().next()), (1, Some("the runs launch something else")));

    let more = f.replace("\"iterations\":3", "\"iterations\":4");
    let (status, text) = folder.compare(&[&f], &[&more]);
    assert!(status == 1 && text.contains("  the numbers of iterations differ:\n  a: 3\n  b: 4\n"), "{text}");

    let failed = f.replace("\"views\"", "\"failed\":true,\"views\"");
    let (status, text) = folder.compare(&[&f], &[&failed]);
    assert!(
        status == 1 && text.contains("  the outcomes differ:\n  a: it has succeeded\n  b: it has failed\n"),
        "{text}"
    );

    let longer = f.replace("\"extents\":[2]", "\"extents\":[1,2]");
    let (status, text) = folder.compare(&[&f], &[&longer]);
    assert!(status == 1 && text.contains("  a: `x` [2]\n  b: `x` [1, 2]\n"), "{text}");

    let signed = f.replace("u16", "i16");
    let (status, text) = folder.compare(&[&f], &[&signed]);
    assert!(status == 1 && text.contains("  the elements of `x` differ:\n  a: u16\n  b: i16\n"), "{text}");
}

#[test]
fn files_that_cannot_be_read_are_trouble() {
    let folder = Folder::new("trouble");
    let f = launch(1, "f", "Serial", &small("aa", "01000200"));
    folder.write("good", &[&f]);
    let trouble = |name: &str, text: &str, message: &str| {
        fs::write(folder.0.join(name), text).expect("a file");
        for arguments in [["good", name], [name, "good"]] {
            let (status, text) = folder.diff(&arguments);
            assert!(status == 2 && text.contains(message), "{name}: {status}, {text}");
        }
    };
    let head = "{\"spelt_check\":1}\n";
    trouble("empty", "", "empty is not a file of checks");
    trouble("other", "{}\n", "other is not a file of checks");
    trouble("newer", "{\"spelt_check\":2}\n", "newer has the form 2 of checks");
    trouble("text", "launch\n", "text is not a file of checks");
    trouble("torn", &format!("{head}{}", &f[..f.len() / 2]), "line 2 of torn is damaged");
    trouble(
        "pieces",
        &format!("{head}{{\"launch\":1}}\n"),
        "line 2 of pieces is none of a launch: `views` is missing",
    );
    let broken = [
        ("\"u16\"", "\"f80\"", "there are no numbers `f80`"),
        ("01000200", "0100020", "`contents` are damaged"),
        ("01000200", "010002", "`contents` have another size"),
        ("\"extents\":[2]", "\"extents\":[-2]", "an extent is damaged"),
        ("\"extents\":[2]", "\"extents\":[2],\"origin\":[]", "`origin` has another rank"),
        ("\"contents\":\"01000200\"", "\"block_elements\":0,\"blocks\":\"\"", "`blocks` are damaged"),
    ];
    for (good, bad, message) in broken {
        assert!(f.contains(good));
        trouble("broken", &format!("{head}{}\n", f.replace(good, bad)), message);
    }
    let (status, text) = folder.diff(&["good", "absent"]);
    assert!(status == 2 && text.contains("cannot open absent"), "{text}");
    folder.write("none", &[""; 0]);
    let (status, text) = folder.diff(&["none", "none"]);
    assert!(status == 2 && text.contains("neither file has a launch"), "{text}");
    let (status, text) = folder.diff(&["good"]);
    assert!(status == 101 && text.contains("takes two files"), "{text}");
}

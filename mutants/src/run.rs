//! Trying mutants: the nearest tests of each, until one fails.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::list::{Mutant, Tests};
use crate::programs::{self, Group, Program};
use crate::results::{Outcome, Results};
use crate::rewrite::Places;
use crate::tree::Tree;

/// The longest that a run of tests may take. Unit: time. Source: chosen.
const LIMIT: Duration = Duration::from_secs(60);

/// The limit for tests with a mutant, as a multiple of their time without one. Unit: none. Source: chosen; a busy machine
/// is not a mutant.
const SLOWER: u32 = 10;

/// The least limit for tests with a mutant. Source: chosen.
const MIN: Duration = Duration::from_secs(10);

/// How a run of tests ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Passed,
    Failed,
    Hung,
}

/// The state of a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    /// There are more tests.
    Undecided,
    /// The tests also fail without it.
    Unknown,
    Is(Outcome),
}

/// A mutant, and which of its tests have run.
struct Trial<'m> {
    mutant: &'m Mutant,
    done: usize,
    reached: bool,
    /// Whether its turn has come, where it is built alone.
    is_last: bool,
}

impl<'m> Trial<'m> {
    fn new(mutant: &'m Mutant) -> Self {
        Self { mutant, done: 0, reached: false, is_last: false }
    }
}

/// Runs the tests.
struct Runner<'r, 'm> {
    tree: &'r Tree,
    /// Those whose tests are built together.
    mutants: Vec<&'m Mutant>,
    /// The groups that the mutants require and that have been built, and whether the build succeeded.
    built: HashMap<Group, bool>,
    /// Groups that cannot be built even without mutants.
    broken: HashSet<Group>,
    programs: BTreeMap<String, Program>,
    emulator: Option<PathBuf>,
    /// The folder of the compiler's libraries.
    compiler: PathBuf,
    /// The file that a program makes when it reaches the mutant.
    reached: PathBuf,
    /// The time of tests that pass without a mutant; with lanes in lock-step or not.
    pass: HashMap<(Tests, bool), Option<Duration>>,
}

/// Tries the mutants whose names contain a word. Whether no test fails without a mutant and each mutant is found.
pub(crate) fn run(root: &Path, mutants: &[Mutant], words: &[&str], again: bool) -> Result<bool> {
    if let Some(word) = words.iter().find(|word| !mutants.iter().any(|its| its.name.contains(**word))) {
        bail!(
            "no mutant has `{word}` in its name, which is its list and what follows `mutant:`, such as core/copy-checks-extents"
        );
    }
    let places = Places::find(root, mutants);
    for (name, problem) in &places.problems {
        eprintln!("{name} no longer applies: {problem}");
    }
    let tree = Tree::update(root, &places)?;
    let mut results = Results::open(root);
    let chosen: Vec<&Mutant> = mutants
        .iter()
        .filter(|its| words.is_empty() || words.iter().any(|word| its.name.contains(word)))
        .filter(|its| its.equivalent.is_none() && !places.problems.contains_key(&its.name))
        .filter(|its| again || results.of(its).is_none_or(|outcome| !outcome.is_good()))
        .collect();
    let mut runner = Runner {
        tree: &tree,
        mutants: chosen.clone(),
        built: HashMap::new(),
        broken: HashSet::new(),
        programs: BTreeMap::new(),
        emulator: None,
        compiler: programs::compiler_libraries(&tree.folder)?,
        reached: root.join(format!("target/mutants/reached-{}", std::process::id())),
        pass: HashMap::new(),
    };
    // The nearest tests of all mutants first, and then the others of those that are left: most need no other program. Last
    // come those that are built alone.
    let mut well = true;
    let mut left: VecDeque<Trial<'_>> = chosen.iter().map(|its| Trial::new(its)).collect();
    let (mut next, mut last) = (VecDeque::new(), VecDeque::new());
    loop {
        let Some(mut trial) = left.pop_front() else {
            if next.is_empty() {
                std::mem::swap(&mut next, &mut last);
            }
            if next.is_empty() {
                return Ok(well);
            }
            std::mem::swap(&mut left, &mut next);
            continue;
        };

        let begin = Instant::now();
        let mutant = trial.mutant;
        let (verdict, detail) = match (mutant.alone, trial.is_last) {
            (true, false) => {
                last.push_back(Trial { is_last: true, ..trial });
                continue;
            }
            (true, true) => tree.with_alone(mutant, || runner.alone(&mut trial))?,
            (false, _) => runner.one_more(&mut trial)?,
        };
        let verdict = match verdict {
            Verdict::Undecided => {
                next.push_back(trial);
                continue;
            }
            Verdict::Is(outcome) => {
                results.note(mutant, outcome, &detail)?;
                well &= outcome.is_good();
                outcome.name()
            }
            Verdict::Unknown => {
                well = false;
                "not tried:"
            }
        };
        println!("{} {verdict} {detail} ({:.1} s)", mutant.name, begin.elapsed().as_secs_f32());
    }
}

impl<'r, 'm> Runner<'r, 'm> {
    /// Runs the next tests of the trial. With the verdict, the tests or the reason.
    fn one_more(&mut self, trial: &mut Trial<'m>) -> Result<(Verdict, String)> {
        let mutant = trial.mutant;
        let Some(tests) = mutant.tests.get(trial.done) else {
            let reached = trial.reached || mutant.on_device || mutant.alone;
            let outcome = if reached { Outcome::Survived } else { Outcome::NotReached };
            return Ok((Verdict::Is(outcome), String::new()));
        };
        trial.done += 1;
        let name = [programs::key_of(tests), tests.filter.join(" ")].join(" -- ");
        match self.build(tests) {
            // Cargo has printed the reason once: the other mutants of the package are not tried either.
            Err(error) if error.is::<programs::NotBuilt>() && !mutant.alone => {
                self.broken.insert(programs::group(tests));
                return Ok((Verdict::Unknown, format!("{error:#}")));
            }
            built => built?,
        }
        let usual = if mutant.alone { Some(LIMIT) } else { self.usual(tests, mutant.in_lockstep)? };
        let Some(usual) = usual else {
            return Ok((Verdict::Unknown, format!("{name} fails or takes too long without a mutant")));
        };
        if std::fs::exists(&self.reached)? {
            std::fs::remove_file(&self.reached)?;
        }
        let number = if mutant.alone { 0 } else { mutant.number() };
        let limit = (usual * SLOWER).clamp(MIN, LIMIT);
        let end = self.end(tests, mutant.in_lockstep, number, limit)?;
        trial.reached |= std::fs::exists(&self.reached)?;
        let verdict = match end {
            End::Passed if trial.done < mutant.tests.len() => Verdict::Undecided,
            End::Passed => return self.one_more(trial),
            End::Failed => Verdict::Is(Outcome::Found),
            End::Hung => Verdict::Is(Outcome::Hung),
        };
        Ok((verdict, name))
    }

    /// The outcome of a mutant that is in the copy.
    fn alone(&mut self, trial: &mut Trial<'m>) -> Result<(Verdict, String)> {
        self.emulator = None;
        self.built.clear();
        let own = trial.mutant;
        // All of its programs, and no others: a program that is left from another mutant contains that mutant.
        let all = std::mem::replace(&mut self.mutants, vec![own]);
        let mut verdict = Ok((Verdict::Undecided, String::new()));
        while matches!(verdict, Ok((Verdict::Undecided, _))) {
            verdict = match self.one_more(trial) {
                // Unless they do not build without it.
                Err(error) if error.is::<programs::NotBuilt>() => {
                    let broken = own.tests.iter().any(|tests| self.broken.contains(&programs::group(tests)));
                    let verdict = if broken { Verdict::Unknown } else { Verdict::Is(Outcome::Refused) };
                    Ok((verdict, format!("{error:#}")))
                }
                verdict => verdict,
            };
        }
        self.mutants = all;
        self.built.clear();
        verdict
    }

    /// Builds the groups that the tests require, together with those that other mutants require of the same package.
    fn build(&mut self, tests: &Tests) -> Result<()> {
        if tests.emulated && self.emulator.is_none() {
            self.emulator = Some(programs::emulator(&self.tree.folder)?);
        }
        let group = programs::group(tests);
        if let Some(whether) = self.built.get(&group) {
            return if *whether { Ok(()) } else { Err(programs::NotBuilt::of(&group).into()) };
        }
        let all = self.mutants.iter().flat_map(|its| &its.tests);
        let programs = programs::build(&self.tree.folder, &group, all);
        self.built.insert(group, programs.is_ok());
        self.programs.extend(programs?);
        Ok(())
    }

    /// The time of the tests without a mutant, if they pass.
    fn usual(&mut self, tests: &Tests, in_lockstep: bool) -> Result<Option<Duration>> {
        let key = (tests.clone(), in_lockstep);
        if let Some(usual) = self.pass.get(&key) {
            return Ok(*usual);
        }
        let begin = Instant::now();
        let usual = (self.end(tests, in_lockstep, 0, LIMIT)? == End::Passed).then(|| begin.elapsed());
        self.pass.insert(key, usual);
        Ok(usual)
    }

    /// Runs the tests with the mutant of this number.
    fn end(&self, tests: &Tests, in_lockstep: bool, number: u32, limit: Duration) -> Result<End> {
        let key = programs::key_of(tests);
        let program =
            self.programs.get(&key).with_context(|| format!("cargo made no program for `{key}`"))?;
        let mut command = Command::new(&program.path);
        command.args(&tests.filter).arg("--test-threads=2").current_dir(&program.package);
        command.env("CARGO_MANIFEST_DIR", &program.package).env("SPELT_MUTANT", number.to_string());
        command.env("SPELT_MUTANT_REACHED", &self.reached);
        // As cargo does: a macro's tests require the compiler's libraries.
        let mut libraries = vec![self.compiler.clone()];
        if let (true, Some(emulator)) = (tests.emulated, &self.emulator) {
            libraries.insert(0, emulator.clone());
            command.env("SPELT_EMULATOR", emulator);
            command.env("CUDA_EMU_INITCHECK", "1").env("CUDA_EMU_RACECHECK", "2");
            if in_lockstep {
                command.env("CUDA_EMU_LOCKSTEP", "32");
            }
        }
        command.env("LD_LIBRARY_PATH", std::env::join_paths(libraries)?);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().with_context(|| format!("cannot run {}", program.path.display()))?;
        wait(&mut child, Instant::now() + limit)
    }
}

fn wait(child: &mut Child, end: Instant) -> Result<End> {
    let mut pause = Duration::from_millis(2);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(if status.success() { End::Passed } else { End::Failed });
        }
        if Instant::now() >= end {
            child.kill()?;
            child.wait()?;
            return Ok(End::Hung);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(100));
    }
}

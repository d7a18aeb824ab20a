//! The Kokkos peer: a separate process, asked over pipes.

use std::cell::RefCell;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::rc::Rc;

use spelt_harness::lineup::{Fault, Remote};

/// The peer's program, compiled where this program lies.
const SOURCE: &str = include_str!("../kokkos/kokkos_peer.cpp");
/// The cases that it includes.
const CONTAINERS: &str = include_str!("../kokkos/containers.hpp");

/// A Kokkos peer that was compiled.
#[derive(Debug)]
pub struct Kokkos {
    binary: PathBuf,
    threads: usize,
    /// Kept for as long as requests are for the same number of elements: its arrays stay then.
    process: RefCell<Option<(String, Rc<RefCell<Process>>)>>,
}

#[derive(Debug)]
struct Process {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Drop for Process {
    fn drop(&mut self) {
        // Errors are ignored: it may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Kokkos {
    /// Compiles the peer against the Kokkos installed in `root`, unless that has been done.
    ///
    /// # Errors
    /// With the compiler's output if it fails.
    pub fn build(root: &Path, threads: usize) -> Result<Self, String> {
        let folder = std::env::current_exe().map_err(|error| error.to_string())?;
        let folder = folder.parent().ok_or("this program lies nowhere")?;
        let source = folder.join("kokkos_peer.cpp");
        let binary = folder.join("kokkos_peer");
        let library = ["lib", "lib64"].map(|name| root.join(name)).into_iter().find(|path| path.exists());
        let library = library.ok_or_else(|| format!("no Kokkos in {}: it has no lib", root.display()))?;
        let files = [
            (&source, format!("{SOURCE}// Kokkos: {}\n", root.display())),
            (&folder.join("containers.hpp"), CONTAINERS.to_owned()),
        ];
        let compiled =
            files.iter().all(|(path, text)| std::fs::read_to_string(path).is_ok_and(|old| old == *text));
        if binary.exists() && compiled {
            return Ok(Self { binary, threads, process: RefCell::default() });
        }
        for (path, text) in &files {
            std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))?;
        }
        eprintln!("compiling the Kokkos peer");
        let output = Command::new("g++")
            .args(["-std=c++20", "-O3", "-march=native", "-fopenmp"])
            .arg("-I")
            .arg(root.join("include"))
            .args([source.as_os_str(), "-o".as_ref(), binary.as_os_str(), "-L".as_ref(), library.as_os_str()])
            .args(["-lkokkoscontainers", "-lkokkoscore", "-ldl"])
            .output()
            .map_err(|error| format!("g++ cannot be run: {error}"))?;
        if !output.status.success() {
            // So that the next run tries again.
            let _ = std::fs::remove_file(&source);
            return Err(format!("g++ failed:\n{}", String::from_utf8_lossy(&output.stderr)));
        }
        Ok(Self { binary, threads, process: RefCell::default() })
    }

    /// The contender for `request`, which is a case, a type and a size.
    pub(crate) fn peer(self: &Rc<Self>, request: String) -> Peer {
        Peer { kokkos: Rc::clone(self), request }
    }

    /// The process for arrays of that size: another size begins a new one, which gives the memory back.
    fn process(&self, request: &str) -> Result<Rc<RefCell<Process>>, String> {
        let arrays = request.split_once(' ').map_or(request, |(_, arrays)| arrays);
        let mut kept = self.process.borrow_mut();
        if let Some((size, process)) = &*kept
            && size == arrays
        {
            return Ok(Rc::clone(process));
        }
        *kept = None;
        // The environment as the peer's header asks for.
        let mut child = Command::new(&self.binary)
            .env("OMP_NUM_THREADS", self.threads.to_string())
            .env("OMP_PROC_BIND", "spread")
            .env("OMP_PLACES", "threads")
            .env("GOMP_SPINCOUNT", "30000")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("the Kokkos peer cannot be run: {error}"))?;
        let requests = child.stdin.take().ok_or("the Kokkos peer has no input")?;
        let answers = BufReader::new(child.stdout.take().ok_or("the Kokkos peer has no output")?);
        let process = Rc::new(RefCell::new(Process { child, requests, answers }));
        *kept = Some((arrays.to_owned(), Rc::clone(&process)));
        Ok(process)
    }
}

/// One case in the Kokkos peer.
#[derive(Debug)]
pub struct Peer {
    kokkos: Rc<Kokkos>,
    request: String,
}

impl Remote for Peer {
    fn time(&self, calls: usize) -> Result<f64, Fault> {
        let answer = self.ask(calls);
        if matches!(answer, Err(Fault::Died(_))) {
            // The next request begins a new process.
            *self.kokkos.process.borrow_mut() = None;
        }
        answer
    }
}

impl Peer {
    fn ask(&self, calls: usize) -> Result<f64, Fault> {
        let process = self.kokkos.process(&self.request).map_err(Fault::Died)?;
        let process = &mut *process.borrow_mut();
        let mut answer = String::new();
        writeln!(process.requests, "{} {calls}", self.request)
            .and_then(|()| process.requests.flush())
            .and_then(|()| process.answers.read_line(&mut answer))
            .map_err(|error| Fault::Died(format!("the Kokkos peer broke off: {error}")))?;
        if answer.is_empty() {
            return Err(Fault::Died(format!("the Kokkos peer ended without an answer to {}", self.request)));
        }
        answer.trim().parse().map_err(|_| {
            Fault::Wrong(format!("the Kokkos peer said {:?} to {}", answer.trim(), self.request))
        })
    }
}

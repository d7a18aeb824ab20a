//! Rates that were measured before, in the user's folder of caches: a line for each machine and number of threads.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::tools::replace::replace;

/// A rate is measured again with another version of Spelt.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The machine and the threads of a rate.
pub(super) struct Key {
    pub(super) processor: String,
    pub(super) threads: usize,
}

impl Key {
    pub(super) fn of_machine(threads: usize) -> Self {
        Self { processor: processor(), threads }
    }

    /// What follows the rate in its line.
    fn text(&self) -> String {
        let processor = self.processor.replace(['\t', '\n', '\r'], " ");
        format!("\t{}\t{VERSION}\t{processor}", self.threads)
    }
}

/// The processor's name, or its architecture.
fn processor() -> String {
    let named = fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("model name"))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    });
    named.unwrap_or_else(|| std::env::consts::ARCH.to_owned())
}

/// The file.
pub(super) struct Cache {
    file: PathBuf,
}

impl Cache {
    /// That of this user: in `XDG_CACHE_HOME`, `HOME/.cache` or `LOCALAPPDATA`. `None` if there is no such folder.
    pub(super) fn of_user() -> Option<Self> {
        let folder = |name: &str, inner: &str| {
            let folder = std::env::var_os(name).map(|folder: OsString| PathBuf::from(folder))?;
            folder.is_absolute().then(|| folder.join(inner))
        };
        let caches = folder("XDG_CACHE_HOME", "")
            .or_else(|| folder("HOME", ".cache"))
            .or_else(|| folder("LOCALAPPDATA", ""))?;
        Some(Self::of(&caches.join("spelt")))
    }

    fn of(folder: &Path) -> Self {
        Self { file: folder.join("peak.tsv") }
    }

    /// The rate, if it is known. Unit: GB/s. Lines that are no rates are left out.
    pub(super) fn read(&self, key: &Key) -> Option<f64> {
        let key = key.text();
        let text = fs::read_to_string(&self.file).ok()?;
        let rate = text.lines().find_map(|line| line.strip_suffix(&key))?.parse().ok()?;
        (rate > 0.0 && f64::is_finite(rate)).then_some(rate)
    }

    /// Keeps a rate, unless a higher one is known: other programs make a rate lower, nothing makes it higher. Programs that run at the same
    /// time may each measure; one of their files stays, whole.
    pub(super) fn write(&self, key: &Key, rate: f64) -> io::Result<()> {
        if self.read(key).is_some_and(|known| known >= rate) {
            return Ok(());
        }
        let key = key.text();
        let known = fs::read_to_string(&self.file).unwrap_or_default();
        let mut text: String =
            known.lines().filter(|line| !line.ends_with(&key)).flat_map(|line| [line, "\n"]).collect();
        text.push_str(&format!("{rate:.3}{key}\n"));
        if let Some(folder) = self.file.parent() {
            fs::create_dir_all(folder)?;
        }
        replace(&self.file, &text)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{Cache, Key};

    #[test]
    fn rates_are_kept_by_machine_and_threads() {
        let folder = std::env::temp_dir().join(format!("spelt-peak-{}", std::process::id()));
        let cache = Cache::of(&folder.join("made"));
        let key = |processor: &str, threads| Key { processor: processor.to_owned(), threads };
        let [one, two, other] = [key("a\tb", 1), key("a\tb", 2), key("c", 1)];
        assert_eq!(cache.read(&one), None);
        cache.write(&one, 10.5).expect("a folder");
        cache.write(&two, 20.25).expect("a folder");
        cache.write(&one, 11.0).expect("a folder");
        cache.write(&two, 0.363).expect("a folder");
        assert_eq!([&one, &two, &other].map(|key| cache.read(key)), [Some(11.0), Some(20.25), None]);
        // A damaged file is as none, and is mended by the next measurement.
        fs::write(&cache.file, format!("NaN{}\nnonsense\n-1{}\n", one.text(), two.text())).expect("a file");
        assert_eq!([&one, &two].map(|key| cache.read(key)), [None, None]);
        cache.write(&two, 3.0).expect("a folder");
        assert_eq!([&one, &two].map(|key| cache.read(key)), [None, Some(3.0)]);
        fs::remove_dir_all(folder).expect("the folder");
    }
}

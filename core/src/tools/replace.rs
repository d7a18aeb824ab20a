//! Files that are replaced as a whole.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

/// Replaces a file, or creates it: readers see the old text or the new one, and a failure leaves the old one.
pub(super) fn replace(file: &Path, text: &str) -> io::Result<()> {
    let mut name = file.as_os_str().to_owned();
    name.push(format!(".{}.new", std::process::id()));
    let new = Path::new(&name);
    let written = File::create(new).and_then(|mut open| {
        open.write_all(text.as_bytes())?;
        open.sync_all()
    });
    let replaced = written.and_then(|()| fs::rename(new, file));
    if replaced.is_err() {
        let _ = fs::remove_file(new);
    }
    replaced
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::replace;

    #[test]
    fn a_failure_leaves_nothing_behind() {
        let folder = std::env::temp_dir().join(format!("spelt-replace-{}", std::process::id()));
        // A folder cannot be replaced by a file.
        fs::create_dir_all(folder.join("taken/inner")).expect("folders");
        replace(&folder.join("taken"), "text").expect_err("a folder");
        replace(&folder.join("file"), "old").expect("a file");
        replace(&folder.join("file"), "new").expect("a file");
        assert_eq!(fs::read_to_string(folder.join("file")).expect("the file"), "new");
        let mut names: Vec<_> = fs::read_dir(&folder)
            .expect("the folder")
            .map(|entry| entry.expect("an entry").file_name())
            .collect();
        names.sort();
        assert_eq!(names, ["file", "taken"]);
        fs::remove_dir_all(folder).expect("the folder");
    }
}

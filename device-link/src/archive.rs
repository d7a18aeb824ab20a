//! Rlibs: the members that define each symbol, and the bitcode inside members.

use std::fs::File;
use std::path::{Path, PathBuf};

use object::read::ReadCache;
use object::read::archive::{ArchiveFile, ArchiveOffset};
use object::{Object, ObjectSection, ReadRef};

use crate::Error;

/// An open rlib; its members are read when they are needed.
#[derive(Debug)]
pub(crate) struct Archive {
    path: PathBuf,
    data: ReadCache<File>,
}

/// A member of an archive: its place in the archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Member(u64);

impl Archive {
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        let file = File::open(path).map_err(|source| Error::io(path, source))?;
        Ok(Self { path: path.to_path_buf(), data: ReadCache::new(file) })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    fn broken(&self, error: object::Error) -> Error {
        let source = std::io::Error::new(std::io::ErrorKind::InvalidData, error);
        Error::io(&self.path, source)
    }

    /// Calls `found` with each symbol that the archive's table lists, and the member that defines it.
    pub(crate) fn each_symbol(&self, mut found: impl FnMut(&[u8], Member)) -> Result<(), Error> {
        let archive = ArchiveFile::parse(&self.data).map_err(|error| self.broken(error))?;
        // An archive that has only metadata has no table.
        let Some(symbols) = archive.symbols().map_err(|error| self.broken(error))? else { return Ok(()) };
        for symbol in symbols {
            let symbol = symbol.map_err(|error| self.broken(error))?;
            found(symbol.name(), Member(symbol.offset().0));
        }
        Ok(())
    }

    /// The bitcode of a member; `None` if it was compiled without.
    pub(crate) fn bitcode(&self, member: Member) -> Result<Option<Vec<u8>>, Error> {
        let archive = ArchiveFile::parse(&self.data).map_err(|error| self.broken(error))?;
        let member = archive.member(ArchiveOffset(member.0)).map_err(|error| self.broken(error))?;
        let (offset, size) = member.file_range();
        let bytes = (&self.data).read_bytes_at(offset, size).map_err(|()| {
            Error::io(
                &self.path,
                std::io::Error::new(std::io::ErrorKind::UnexpectedEof, "a member is cut short"),
            )
        })?;
        // Members that are bitcode through and through, as with cross-language LTO.
        if bytes.starts_with(b"BC\xc0\xde") {
            return Ok(Some(bytes.to_vec()));
        }
        let Ok(file) = object::File::parse(bytes) else { return Ok(None) };
        let section = [".llvmbc", "__bitcode"].iter().find_map(|name| file.section_by_name(name));
        let bitcode = section.and_then(|section| section.data().ok()).filter(|data| data.len() > 4);
        Ok(bitcode.map(<[u8]>::to_vec))
    }
}

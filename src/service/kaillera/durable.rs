//! Files that are whole whenever the machine stops.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::Path,
};

/// Puts `bytes` in the place of a file: a reader finds all of the old one or all of the new one.
/// Whose it is, and who may read and write it, stays as it was where that can be.
pub(crate) fn replace(path: &Path, bytes: impl AsRef<[u8]>) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    let beside = path.with_file_name(name);
    // One that an earlier attempt left may not be writable.
    let _ = fs::remove_file(&beside);
    let written = write(&beside, path, bytes.as_ref());
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written?;
    sync_directory(path)
}

fn write(beside: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(beside)?;
    if let Ok(metadata) = fs::metadata(path) {
        // Not every file system has owners and modes; what is to be kept is worth more.
        #[cfg(unix)]
        {
            use std::os::unix::fs::{MetadataExt as _, fchown};
            let _ = fchown(&file, Some(metadata.uid()), Some(metadata.gid()));
        }
        let _ = file.set_permissions(metadata.permissions());
    }
    file.write_all(bytes)?;
    file.sync_all()?;
    drop(file);
    fs::rename(beside, path)
}

/// The name is in the directory, which is a file of its own there.
#[cfg(unix)]
fn sync_directory(path: &Path) -> io::Result<()> {
    let directory = path.parent().filter(|it| !it.as_os_str().is_empty());
    File::open(directory.unwrap_or(Path::new(".")))?.sync_all()
}

#[cfg(not(unix))]
fn sync_directory(_path: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced() {
        let directory = std::env::temp_dir();
        let directory = directory.join(format!("samara-durable-{}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        let path = directory.join("state.json");
        for text in ["first, longer", "second"] {
            replace(&path, text).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(fs::read_dir(&directory).unwrap().count(), 1);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = |path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
            fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
            replace(&path, "third").unwrap();
            assert_eq!(mode(&path), 0o640);
        }
        assert!(replace(&directory.join("none/state.json"), "x").is_err());
        fs::remove_dir_all(&directory).unwrap();
    }
}

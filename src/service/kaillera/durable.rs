//! Files that are whole whenever the machine stops.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::Path,
};

/// Puts `text` in the place of a file: a reader finds all of the old one or all of the new one.
pub(super) fn replace(path: &Path, text: &str) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    let beside = path.with_file_name(name);
    let mut file = File::create(&beside)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    drop(file);
    fs::rename(&beside, path)?;
    sync_directory(path)
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
        assert!(replace(&directory.join("none/state.json"), "x").is_err());
        fs::remove_dir_all(&directory).unwrap();
    }
}

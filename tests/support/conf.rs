//! An EmuLinker server's directory.

use super::Program;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// A folder with `conf` in it, as EmuLinker-K ships it; gone at the end of its test.
pub struct Conf(PathBuf);

impl Conf {
    pub fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let conf = Self(path.join(format!("{name}-{}", std::process::id())));
        fs::create_dir_all(conf.path()).unwrap();
        let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/emulinker/conf");
        for file in fs::read_dir(shipped).unwrap() {
            let file = file.unwrap();
            fs::copy(file.path(), conf.path().join(file.file_name())).unwrap();
        }
        conf
    }

    /// The folder that `conf` is in.
    pub fn folder(&self) -> &Path {
        &self.0
    }

    pub fn path(&self) -> PathBuf {
        self.0.join("conf")
    }

    /// Puts another file in the place of the one there is, as editors do.
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let beside = self.path().join("new");
        fs::write(&beside, bytes).unwrap();
        fs::rename(&beside, self.path().join(name)).unwrap();
    }

    /// Writes a file with the one word in the place of the other.
    pub fn change(&self, name: &str, from: &str, to: &str) {
        let text = fs::read_to_string(self.path().join(name)).unwrap();
        assert!(text.contains(from), "{from:?} in {name}");
        self.write(name, text.replace(from, to));
    }

    pub fn serve(&self) -> Program {
        Program::start(&["--emulinker", self.path().to_str().unwrap()])
    }
}

impl Drop for Conf {
    fn drop(&mut self) {
        _ = fs::remove_dir_all(&self.0);
    }
}

//! Runs the binary with a home of its own.

use std::ops::Deref;
use std::os::unix::fs::PermissionsExt;

pub use mainspring_rig::Ended;

/// The binary under test, in a home of its own.
pub struct Program(mainspring_rig::Program);

impl Program {
    pub fn new() -> Self {
        Self(mainspring_rig::Program::new(env!("CARGO_BIN_EXE_mainspring")).unwrap())
    }

    /// Writes a file into the home and returns its path.
    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.home().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        // Tokens are among them, and one that others may read is warned of.
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        path.to_str().unwrap().to_owned()
    }

    pub fn run(&self, arguments: &[&str]) -> Ended {
        self.run_with_input(arguments, "")
    }

    pub fn run_with_input(&self, arguments: &[&str], input: &str) -> Ended {
        self.0.run(arguments, input).unwrap()
    }
}

impl Deref for Program {
    type Target = mainspring_rig::Program;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

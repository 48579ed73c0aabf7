//! The settings of a [`TaskRunner`](crate::TaskRunner).

use std::path::PathBuf;

use crate::policy::OutboundPolicy;

/// The settings of all tasks that a runner performs.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The folder in which private working folders are made. Created with mode 0700 when missing.
    pub work_root: PathBuf,
    /// The program that keeps processes on a leash, see [`crate::leash`]: a binary that hands its
    /// arguments to [`leash::main`](crate::leash::main). `/proc/self/exe` is this program itself, also
    /// after its file was replaced by an upgrade. Without a leash, a process outlives a killed
    /// worker, and descendants that left the group are looked for on a best effort.
    pub leash: Option<PathBuf>,
    /// Arguments put before the leash's own, usually `["__leash"]` for the hidden subcommand.
    pub leash_args: Vec<String>,
    /// Whether scripts are executed. `false` refuses them with `script.off`.
    pub scripts: bool,
    /// The addresses that HTTP calls may reach.
    pub outbound: OutboundPolicy,
    /// A file with root certificates in PEM that HTTP calls trust beside the system's.
    pub tls_roots: Option<PathBuf>,
    /// Bounds on what is kept of the output.
    pub log: LogLimits,
    /// Files that tasks may have open at a time; beyond, they wait. Three quarters of what the process may open, less 32, if absent.
    pub files: Option<u64>,
    /// The largest `$MS_OUTPUT` in bytes.
    pub output_bytes_max: u64,
    /// Names of the variables that processes inherit from the worker.
    pub inherited_env: Vec<String>,
}

impl Settings {
    /// The largest output of a run that is kept, in bytes; more is refused rather than cut.
    pub const OUTPUT_BYTES_MAX: usize = 16 * 1024 * 1024;

    /// Creates the defaults, with private working folders under `work_root`.
    pub fn new(work_root: impl Into<PathBuf>) -> Self {
        let inherited = ["PATH", "HOME", "LANG", "LC_ALL", "TZ", "USER", "LOGNAME"];
        Self {
            work_root: work_root.into(),
            leash: None,
            leash_args: vec!["__leash".to_owned()],
            scripts: false,
            outbound: OutboundPolicy::default(),
            tls_roots: None,
            log: LogLimits::default(),
            files: None,
            output_bytes_max: Self::OUTPUT_BYTES_MAX as u64,
            inherited_env: inherited.map(str::to_owned).to_vec(),
        }
    }
}

/// Bounds on one attempt's log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogLimits {
    /// Bytes of text that are kept: the beginning, and of what a process prints beyond it the end, which is a quarter of this and
    /// 1 MiB at most, behind a mark.
    pub run_bytes_max: u64,
    /// Bytes of one line; a longer one is split into partial lines.
    pub line_bytes_max: usize,
    /// The time, in milliseconds, that an ended attempt waits for its last lines to be taken; others are lost, and the
    /// attempt says so.
    pub flush_ms_max: u64,
}

impl Default for LogLimits {
    /// 16 MiB per run, 64 KiB per line, ten seconds.
    fn default() -> Self {
        Self { run_bytes_max: 16 * 1024 * 1024, line_bytes_max: 64 * 1024, flush_ms_max: 10_000 }
    }
}

/// The reason why a runner cannot be created.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// The folder for private working folders cannot be used. Choose another or mend its rights.
    #[error("could not use the folder for working folders {path}")]
    WorkRoot {
        /// The folder.
        path: PathBuf,
        /// The error of the system.
        #[source]
        source: std::io::Error,
    },
    /// The leash binary is not there.
    #[error("the leash program {path} is not a file")]
    Leash {
        /// The configured path.
        path: PathBuf,
    },
    /// The file with root certificates cannot be used.
    #[error("could not read root certificates from {path}: {problem}")]
    TlsRoots {
        /// The configured path.
        path: PathBuf,
        /// The problem.
        problem: String,
    },
    /// A limit leaves no room to work in.
    #[error("{field} must be at least {min}")]
    TooSmall {
        /// The field of [`Settings`].
        field: &'static str,
        /// The smallest value.
        min: u64,
    },
}

//! Languages of scripts.

use crate::words;

words!(
    /// What a script is written in.
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema, utoipa::ToSchema))]
    ScriptLanguage {
        /// `bash`, or `sh` where that is missing.
        Shell = "shell",
        /// `python3`, or `python`.
        Python = "python",
        /// `node`.
        Node = "node",
        /// `php`.
        Php = "php",
        /// `pwsh`, or `powershell`.
        Powershell = "powershell",
    }
);

impl ScriptLanguage {
    /// Returns the programs that read the language, the first choice first.
    ///
    /// ```
    /// assert_eq!(mainspring_model::ScriptLanguage::Python.programs(), ["python3", "python"]);
    /// ```
    #[must_use]
    pub const fn programs(self) -> &'static [&'static str] {
        match self {
            Self::Shell => &["bash", "sh"],
            Self::Python => &["python3", "python"],
            Self::Node => &["node"],
            Self::Php => &["php"],
            Self::Powershell => &["pwsh", "powershell"],
        }
    }

    /// Returns the end of a file's name by which these programs know it.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Shell => "sh",
            Self::Python => "py",
            Self::Node => "js",
            Self::Php => "php",
            Self::Powershell => "ps1",
        }
    }
}

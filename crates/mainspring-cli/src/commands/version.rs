//! `mainspring version`.

use serde::Serialize;

use crate::error::Result;
use crate::output::{Cell, Column, Output, View};

/// What this binary is.
#[derive(Serialize)]
struct Version {
    version: &'static str,
    os: &'static str,
    architecture: &'static str,
    tzdata: &'static str,
}

const VIEW: View<Version> = View {
    columns: &[
        Column::usual("VERSION", |it, _| Cell::new(it.version)),
        Column::usual("OS", |it, _| Cell::new(it.os)),
        Column::usual("ARCHITECTURE", |it, _| Cell::new(it.architecture)),
        Column::usual("TZDATA", |it, _| Cell::new(it.tzdata)),
    ],
    name: |it| it.version.to_owned(),
    empty: "",
};

/// Prints the version of the binary and of its time zone data.
pub fn run(output: &Output) -> Result {
    let version = Version {
        version: env!("CARGO_PKG_VERSION"),
        os: std::env::consts::OS,
        architecture: std::env::consts::ARCH,
        tzdata: mainspring_schedule::tzdata_version(),
    };
    output.one(&version, &VIEW)
}

//! Real processes, real sockets.

#![expect(clippy::disallowed_methods, reason = "real processes are waited for in real time, with generous limits")]

#[cfg(test)]
mod http;
#[cfg(test)]
mod leash;
#[cfg(test)]
mod log;
#[cfg(test)]
mod process;
#[cfg(test)]
mod script;
#[cfg(test)]
mod support;
#[cfg(test)]
mod web;

//! Real processes, real sockets.

#[cfg(test)]
mod http;
#[cfg(test)]
mod leash;
#[cfg(test)]
mod log;
#[cfg(test)]
mod process;
#[cfg(test)]
mod support;
#[cfg(test)]
mod web;

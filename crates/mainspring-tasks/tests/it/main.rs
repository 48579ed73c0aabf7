//! Real processes, real sockets.

#[cfg(test)]
mod leash;
#[cfg(test)]
mod log;
#[cfg(test)]
mod process;
#[cfg(test)]
mod support;

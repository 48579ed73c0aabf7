//! The clock of this machine that nobody sets.

/// Milliseconds since the machine started, the time that it slept included: the same in all processes.
#[cfg(target_os = "linux")]
#[must_use]
pub fn boot_ms() -> u64 {
    read(rustix::time::ClockId::Boottime)
}

/// Milliseconds since some moment, which is the same in all processes.
#[cfg(not(target_os = "linux"))]
#[must_use]
pub fn boot_ms() -> u64 {
    read(rustix::time::ClockId::Monotonic)
}

fn read(clock: rustix::time::ClockId) -> u64 {
    let now = rustix::time::clock_gettime(clock);
    now.tv_sec.unsigned_abs() * 1_000 + now.tv_nsec.unsigned_abs() / 1_000_000
}

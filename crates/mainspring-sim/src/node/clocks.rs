//! The clocks of a node, and which time its records go by.

use super::*;

impl Node {
    /// Both clocks.
    pub(crate) fn reading(&self, now: u64) -> Reading {
        let ms = (now / 1_000).cast_signed();
        let drift = ms * self.rate_ppm / 1_000_000;
        let slept = if self.sleeping_clock { self.slept_ms.cast_signed() } else { 0 };
        let boot_ms = self.boot_base_ms.saturating_add_signed(ms + drift - slept);
        Reading { boot_ms, wall_ms: BASE_MS + ms + drift + self.offset_ms }
    }

    pub(crate) fn boot_ms(&self, now: u64) -> u64 {
        self.reading(now).boot_ms
    }

    pub(crate) fn wall(&self, now: u64) -> Timestamp {
        Timestamp::from_millis(self.reading(now).wall_ms)
    }

    /// The time that goes into records of work, and into what clients ask for: as the engine's, the database's where the node's
    /// clock is surely further from it than a limit.
    fn right(&self, now: u64, limit_ms: u64) -> Timestamp {
        let reading = self.reading(now);
        let right = self.keeper.database_clock().map_or(reading.wall_ms, |clock| clock.correct(reading, limit_ms));
        Timestamp::from_millis(right)
    }

    /// How long a time of the node's clocks is.
    pub(crate) const fn virtual_us(&self, ms: u64) -> u64 {
        let ms = ms.cast_signed();
        (ms * 1_000 - ms * self.rate_ppm / 1_000).unsigned_abs()
    }
}

impl World {
    /// When work is recorded to have been claimed, begun or ended.
    pub(crate) fn record_time(&self, node: usize) -> Timestamp {
        self.nodes[node].right(self.now, self.cluster.clock_leave_ms)
    }

    /// When something is asked for.
    pub(crate) fn request_time(&self, node: usize) -> Timestamp {
        self.nodes[node].right(self.now, self.cluster.clock_warn_ms)
    }

    pub(crate) fn set_clock(&mut self, node: usize, step_ms: i64) {
        let state = &mut self.nodes[node];
        state.offset_ms = (state.offset_ms + step_ms).clamp(-3_600_000, 3_600_000);
        let drift_ms = 500;
        let error = state.offset_ms.abs() + drift_ms;
        self.history.clock_error_ms = self.history.clock_error_ms.max(error);
        // The timer rings when the clock is set.
        let life = state.life;
        state.drive_at = self.now;
        self.after(0, What::Drive(node, life));
    }

    pub(crate) fn set_clock_right(&mut self, node: usize) {
        if self.nodes[node].offset_ms != 0 {
            let back = -self.nodes[node].offset_ms;
            self.set_clock(node, back);
        }
    }
}

-- Whether a worker is to be given nothing new, and how far its clock is ahead of the servers', in milliseconds, as far as known.
ALTER TABLE worker ADD COLUMN IF NOT EXISTS draining BIGINT NOT NULL DEFAULT 0;
ALTER TABLE worker ADD COLUMN IF NOT EXISTS clock_offset_ms BIGINT;

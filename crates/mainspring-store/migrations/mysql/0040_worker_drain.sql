-- Whether a worker is to be given nothing new, and how far its clock is ahead of the servers', in milliseconds, as far as known.
ALTER TABLE worker ADD COLUMN draining BIGINT NOT NULL DEFAULT 0, ADD COLUMN clock_offset_ms BIGINT;

-- The release of the tz database that `next_fire_at` was computed with, as year and place in it (202502 is 2025b); NULL if it
-- depends on none, 0 if nobody knows, as of what was there before and of what programs write that do not know the column.
ALTER TABLE trigger_state ADD COLUMN IF NOT EXISTS tzdata INTEGER DEFAULT 0;
-- Nothing reads it.
ALTER TABLE job_trigger DROP COLUMN IF EXISTS tzdata_version;

-- The release of the tz database that `next_fire_at` was computed with, as year and place in it (202502 is 2025b); NULL if it
-- depends on none, 0 if nobody knows: of what was there before, and of what programs insert that do not know the column.
-- (`job_trigger.tzdata_version` has never been written: it would have to change with each fire.)
ALTER TABLE trigger_state ADD COLUMN tzdata INTEGER DEFAULT 0;

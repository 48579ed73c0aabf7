-- Why a trigger is in the state `error`.
ALTER TABLE job_trigger ADD COLUMN error TEXT;
-- Nothing reads it.
DROP TABLE registration;

-- The run whose end started a run.
ALTER TABLE run ADD COLUMN IF NOT EXISTS cause uuid;
ALTER TABLE history ADD COLUMN IF NOT EXISTS cause uuid;

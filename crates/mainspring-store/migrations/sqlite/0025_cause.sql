-- The run whose end started a run.
ALTER TABLE run ADD COLUMN cause BLOB;
ALTER TABLE history ADD COLUMN cause BLOB;

-- The run whose end started a run.
ALTER TABLE run ADD COLUMN cause BINARY(16);
ALTER TABLE history ADD COLUMN cause BINARY(16);

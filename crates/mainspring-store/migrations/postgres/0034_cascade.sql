-- Backfills of what depends on others: `cascade_of` is the first one. An item waits until those above it have ended well.
ALTER TABLE backfill ADD COLUMN IF NOT EXISTS cascade_of BIGINT;
CREATE INDEX IF NOT EXISTS backfill_cascade ON backfill (cascade_of);
CREATE TABLE IF NOT EXISTS backfill_need (
    backfill_id BIGINT NOT NULL,
    seq BIGINT NOT NULL,
    above_id BIGINT NOT NULL,
    above_seq BIGINT NOT NULL,
    PRIMARY KEY (backfill_id, seq, above_id, above_seq)
);

-- Backfills of what depends on others: `cascade_of` is the first one. An item waits until those above it have ended well.
ALTER TABLE backfill ADD COLUMN cascade_of INTEGER;
CREATE INDEX backfill_cascade ON backfill (cascade_of);
CREATE TABLE backfill_need (
    backfill_id INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    above_id INTEGER NOT NULL,
    above_seq INTEGER NOT NULL,
    PRIMARY KEY (backfill_id, seq, above_id, above_seq)
) STRICT, WITHOUT ROWID;

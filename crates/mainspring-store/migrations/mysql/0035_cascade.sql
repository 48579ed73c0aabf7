-- Backfills of what depends on others: `cascade_of` is the first one. An item waits until those above it have ended well.
ALTER TABLE backfill ADD COLUMN cascade_of BIGINT, ADD KEY backfill_cascade (cascade_of);
CREATE TABLE IF NOT EXISTS backfill_need (
    backfill_id BIGINT NOT NULL,
    seq BIGINT NOT NULL,
    above_id BIGINT NOT NULL,
    above_seq BIGINT NOT NULL,
    PRIMARY KEY (backfill_id, seq, above_id, above_seq)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

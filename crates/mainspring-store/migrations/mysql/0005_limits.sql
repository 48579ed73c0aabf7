-- When a run that waits ends without being started, or started again. No attempt begins after it.
ALTER TABLE run ADD COLUMN expires_at BIGINT;
ALTER TABLE run ADD COLUMN expiry_at BIGINT
    GENERATED ALWAYS AS (CASE WHEN state <> 'running' THEN expires_at END) STORED;
ALTER TABLE run ADD INDEX run_expires (expiry_at, id);

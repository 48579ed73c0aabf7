-- Since when nothing gets through to a webhook, and whether it rests for that.
ALTER TABLE webhook ADD COLUMN IF NOT EXISTS failing_since BIGINT;
ALTER TABLE webhook ADD COLUMN IF NOT EXISTS disabled_at BIGINT;
ALTER TABLE webhook ADD COLUMN IF NOT EXISTS disabled_reason TEXT;
CREATE INDEX IF NOT EXISTS webhook_delivery_waiting ON webhook_delivery (created_at) WHERE state = 'pending';

-- Outputs that are too large for the row of their run, in parts of at most 256 KiB.
CREATE TABLE IF NOT EXISTS run_output (
    run_id UUID NOT NULL,
    attempt BIGINT NOT NULL,
    part BIGINT NOT NULL,
    bytes BYTEA NOT NULL,
    PRIMARY KEY (run_id, attempt, part)
);

-- When retention first saw that nothing refers to a process start any more.
ALTER TABLE incarnation ADD COLUMN IF NOT EXISTS unused_since BIGINT;

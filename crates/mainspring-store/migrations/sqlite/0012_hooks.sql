-- Since when nothing gets through to a webhook, and whether it rests for that.
ALTER TABLE webhook ADD COLUMN failing_since INTEGER;
ALTER TABLE webhook ADD COLUMN disabled_at INTEGER;
ALTER TABLE webhook ADD COLUMN disabled_reason TEXT;
CREATE INDEX webhook_delivery_waiting ON webhook_delivery (created_at) WHERE state = 'pending';

-- Outputs that are too large for the row of their run, in parts of at most 256 KiB.
CREATE TABLE run_output (
    run_id BLOB NOT NULL,
    attempt INTEGER NOT NULL,
    part INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY (run_id, attempt, part)
) STRICT;

-- When retention first saw that nothing refers to a process start any more.
ALTER TABLE incarnation ADD COLUMN unused_since INTEGER;

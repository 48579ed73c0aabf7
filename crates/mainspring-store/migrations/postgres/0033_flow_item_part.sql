-- Payloads that are too large for the row of their item, in parts of at most 256 KiB. The row's payload is empty then.
CREATE TABLE IF NOT EXISTS flow_item_part (
    flow BIGINT NOT NULL,
    item BIGINT NOT NULL,
    part BIGINT NOT NULL,
    bytes BYTEA NOT NULL,
    PRIMARY KEY (flow, item, part)
);

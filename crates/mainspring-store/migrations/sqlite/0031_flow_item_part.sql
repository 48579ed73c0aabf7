-- Payloads that are too large for the row of their item, in parts of at most 256 KiB. The row's payload is empty then.
CREATE TABLE flow_item_part (
    flow INTEGER NOT NULL,
    item INTEGER NOT NULL,
    part INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY (flow, item, part)
) STRICT;
-- Parts go with their item, in the same statement.
CREATE TRIGGER flow_item_gone AFTER DELETE ON flow_item WHEN length(OLD.payload) = 0 BEGIN
    DELETE FROM flow_item_part WHERE flow = OLD.flow AND item = OLD.id;
END;

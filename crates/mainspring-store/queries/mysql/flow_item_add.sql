-- A repeat after an answer that was lost adds nothing.
INSERT IGNORE INTO flow_item (connection_id, position, entered_at, lineage_at, penalty_until, retries, bytes, priority,
    flow, id, attributes, payload)
VALUES (:connection_id, :position, :entered_at, :lineage_at, :penalty_until, :retries, :bytes, :priority,
    :flow, :id, :attributes, :payload)

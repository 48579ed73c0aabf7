SELECT id, connection_id, position, entered_at, lineage_at, penalty_until, retries, bytes, priority FROM flow_item
WHERE flow = :flow AND id > :after
ORDER BY id
LIMIT :limit

UPDATE flow_item SET connection_id = :connection_id, position = :position, entered_at = :entered_at,
    lineage_at = :lineage_at, penalty_until = :penalty_until, retries = :retries, bytes = :bytes, priority = :priority
WHERE flow = :flow AND id = :id

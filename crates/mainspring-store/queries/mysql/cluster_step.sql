UPDATE node SET counter = counter + 1, standing = :standing, clock_offset_ms = :clock_offset_ms,
    renewed_at = CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED)
WHERE incarnation = (SELECT number FROM incarnation WHERE id = :id)

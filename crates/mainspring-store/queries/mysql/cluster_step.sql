UPDATE node SET counter = counter + 1, standing = :standing, clock_offset_ms = :clock_offset_ms, answer_ms = :answer_ms, is_far = :is_far,
    renewed_at = CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED)
WHERE incarnation = (SELECT number FROM incarnation WHERE id = :id)

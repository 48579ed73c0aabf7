UPDATE node SET counter = counter + 1, standing = :standing, clock_offset_ms = :clock_offset_ms, renewed_at = clock_ms()
WHERE incarnation = (SELECT number FROM incarnation WHERE id = :id)

UPDATE node SET counter = counter + 1, standing = :standing, clock_offset_ms = :clock_offset_ms, answer_ms = :answer_ms, is_far = :is_far, renewed_at = clock_ms()
WHERE incarnation = (SELECT number FROM incarnation WHERE id = :id)

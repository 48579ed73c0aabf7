INSERT INTO node (incarnation, name, address, version, standing, counter, "change", clock_offset_ms, answer_ms, is_far,
    joined_at, renewed_at)
VALUES ((SELECT number FROM incarnation WHERE id = :id), :name, :address, :version, :standing, 1, 0, :clock_offset_ms, :answer_ms, :is_far,
    CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED), CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED))

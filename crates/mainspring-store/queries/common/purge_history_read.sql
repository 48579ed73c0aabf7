-- A run ends after the instant in its id, so ids bound the search.
SELECT id FROM history WHERE id < :below AND ended_at < :before ORDER BY id LIMIT :limit

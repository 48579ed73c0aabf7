-- Jobs after one, to be looked at for runs beyond the count that is kept.
SELECT id FROM job WHERE id > :after ORDER BY id LIMIT :limit

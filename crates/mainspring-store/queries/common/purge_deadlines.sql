-- What is known of runs that are gone.
DELETE FROM deadline_miss
WHERE (SELECT r.id FROM run r WHERE r.id = deadline_miss.run_id) IS NULL
    AND (SELECT h.id FROM history h WHERE h.id = deadline_miss.run_id) IS NULL

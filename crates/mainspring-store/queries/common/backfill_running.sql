-- Items of a backfill whose runs were under way, and how the runs stand now. Each is looked up by its key, whatever the server knows.
SELECT i.seq, i.fire_time, i.run_id,
    COALESCE((SELECT r.state FROM run r WHERE r.id = i.run_id), (SELECT h.state FROM history h WHERE h.id = i.run_id)),
    (SELECT r.cancel_requested_at FROM run r WHERE r.id = i.run_id)
FROM backfill_item i
WHERE i.backfill_id = :id AND i.state = 'running'
ORDER BY i.seq

-- Items of a backfill whose runs were under way, and how the runs stand now.
SELECT i.seq, i.fire_time, i.run_id, COALESCE(r.state, h.state), CASE WHEN r.cancel_requested_at IS NULL THEN 0 ELSE 1 END
FROM backfill_item i
LEFT JOIN run r ON r.id = i.run_id
LEFT JOIN history h ON h.id = i.run_id
WHERE i.backfill_id = :id AND i.state = 'running'
ORDER BY i.seq

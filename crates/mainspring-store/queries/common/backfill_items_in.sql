-- Items of a backfill in a state, after a place.
SELECT seq, fire_time, action, state, run_id, rerun_of
FROM backfill_item
WHERE backfill_id = :id AND state = :state AND seq > :after
ORDER BY seq
LIMIT :limit

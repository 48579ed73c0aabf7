-- Fire times of a trigger whose runs other backfills have under way.
SELECT i.fire_time
FROM backfill b FORCE INDEX (backfill_ended)
STRAIGHT_JOIN backfill_item i FORCE INDEX (backfill_item_state) ON i.backfill_id = b.id AND i.state = 'running'
STRAIGHT_JOIN run r FORCE INDEX (PRIMARY) ON r.id = i.run_id
WHERE b.ended_at IS NULL AND b.trigger_id = :trigger AND b.id <> :id

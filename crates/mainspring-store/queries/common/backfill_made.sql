-- What backfills have to do with the fire times of a trigger, in the order of the backfills.
SELECT fire_time, state, run_id
FROM backfill_item
WHERE trigger_id = :trigger AND fire_time >= :from AND fire_time <= :to
ORDER BY backfill_id

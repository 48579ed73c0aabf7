INSERT INTO backfill_item (backfill_id, seq, trigger_id, fire_time, action, state, rerun_of)
SELECT :id, CAST(v ->> 0 AS bigint), :trigger, CAST(v ->> 1 AS bigint), v ->> 2, 'open', CAST(v ->> 3 AS uuid)
FROM json_array_elements(CAST(:rows AS json)) AS r (v)

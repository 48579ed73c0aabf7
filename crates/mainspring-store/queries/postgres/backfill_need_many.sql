INSERT INTO backfill_need (backfill_id, seq, above_id, above_seq)
SELECT :id, CAST(v ->> 0 AS bigint), CAST(v ->> 1 AS bigint), CAST(v ->> 2 AS bigint)
FROM json_array_elements(CAST(:rows AS json)) AS r (v)

-- Locks what nobody else has locked.
SELECT id FROM trigger_state WHERE id = ANY (ARRAY(
    SELECT CAST(CAST(v AS text) AS bigint) FROM json_array_elements(CAST(:rows AS json)) AS r (v)))
ORDER BY id
FOR UPDATE SKIP LOCKED

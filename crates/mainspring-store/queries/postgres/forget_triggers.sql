-- One by one: a change with a lower number may be committed later. One that is being noted again has another number then, and stays.
DELETE FROM trigger_change
WHERE trigger_id = ANY (ARRAY(
    SELECT trigger_id FROM trigger_change
    WHERE seq = ANY (ARRAY(SELECT CAST(v AS bigint) FROM json_array_elements_text(CAST(:numbers AS json)) AS r (v)))
    FOR UPDATE SKIP LOCKED))

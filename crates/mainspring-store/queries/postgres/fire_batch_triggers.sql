-- Of these triggers, those that no batch has advanced since this one.
SELECT id FROM trigger_state WHERE id = ANY (ARRAY(
    SELECT CAST(CAST(v AS text) AS bigint) FROM json_array_elements(CAST(:triggers AS json)) AS r (v)))
    AND batch = :batch

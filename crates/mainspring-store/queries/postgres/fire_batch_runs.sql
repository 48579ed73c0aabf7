-- Where runs of a repeated batch are now: unfinished ones with their state, and those that have ended.
SELECT id, state, attempt, claimed_by FROM run WHERE id = ANY (ARRAY(
    SELECT CAST(v AS uuid) FROM json_array_elements_text(CAST(:runs AS json)) AS r (v)))
UNION ALL
SELECT id, NULL, NULL, NULL FROM history WHERE id = ANY (ARRAY(
    SELECT CAST(v AS uuid) FROM json_array_elements_text(CAST(:runs AS json)) AS r (v)))

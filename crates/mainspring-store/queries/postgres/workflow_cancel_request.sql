-- Asks for the ends of running runs. The first request stays. OFFSET keeps the planner to the keys.
WITH asked AS MATERIALIZED (
    SELECT r.id, e.v ->> 1 AS reason
    FROM json_array_elements(CAST(:rows AS json)) AS e (v)
    CROSS JOIN LATERAL (SELECT id FROM run WHERE id = CAST(e.v ->> 0 AS uuid) AND cancel_requested_at IS NULL OFFSET 0) AS r
)
UPDATE run SET cancel_requested_at = :at, reason = asked.reason FROM asked WHERE run.id = asked.id

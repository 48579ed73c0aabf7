-- Asks for the ends of running runs, which are locked since workflow_cancel_read. The first request stays. OFFSET keeps the planner to the
-- keys.
WITH asked AS MATERIALIZED (
    SELECT r.place, e.v ->> 1 AS reason
    FROM json_array_elements(CAST(:rows AS json)) AS e (v)
    CROSS JOIN LATERAL (SELECT ctid AS place FROM run WHERE id = CAST(e.v ->> 0 AS uuid) AND cancel_requested_at IS NULL OFFSET 0) AS r
)
UPDATE run SET cancel_requested_at = :at, reason = asked.reason FROM asked WHERE run.ctid = asked.place

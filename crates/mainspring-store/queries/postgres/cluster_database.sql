-- Which database answers, and its clock. The time line changes when a standby is promoted.
SELECT (SELECT system_identifier FROM pg_control_system())::text || '/' ||
    (SELECT timeline_id FROM pg_control_checkpoint())::text, clock_ms()

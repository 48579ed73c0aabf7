SELECT run_id FROM cancel_change ORDER BY seq

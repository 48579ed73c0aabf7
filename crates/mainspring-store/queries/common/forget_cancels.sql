DELETE FROM cancel_change WHERE run_id IN (SELECT unhex(value) FROM json_each(:runs))

SELECT 1 FROM trigger_change LIMIT 1

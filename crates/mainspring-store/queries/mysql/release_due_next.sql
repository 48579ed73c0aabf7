SELECT MIN(scheduled_at) FROM run

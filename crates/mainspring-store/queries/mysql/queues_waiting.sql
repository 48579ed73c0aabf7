SELECT DISTINCT queue_name FROM run WHERE queued_place IS NOT NULL ORDER BY queue_name

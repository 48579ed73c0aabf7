UPDATE deadline_miss SET told_at = :at WHERE run_id = :run AND told_at IS NULL

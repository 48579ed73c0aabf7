INSERT INTO job_after (namespace, upstream, trigger_id, outcome) VALUES (:namespace, :upstream, :trigger, :outcome)

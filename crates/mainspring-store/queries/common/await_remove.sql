DELETE FROM workflow_await WHERE run_id = :run AND task = :task

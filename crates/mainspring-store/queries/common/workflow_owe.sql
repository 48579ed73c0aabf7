-- There is more to do, whatever else it hears.
INSERT INTO workflow_inbox (run_id) VALUES (:run)

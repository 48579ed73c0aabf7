-- Whether a trigger awaits the run.
SELECT 1 FROM trigger_state WHERE id = :trigger AND awaiting_run = :run

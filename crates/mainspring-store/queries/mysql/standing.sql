-- The runs of a job that hold a slot under its limit, and whose end nobody has asked for.
SELECT id FROM run WHERE job_id = :job AND held_place IS NULL AND cancel_requested_at IS NULL AND parent_run IS NULL ORDER BY id

-- Takes the turn of a step. Zero rows: another one has.
UPDATE backfill
SET turn = turn + 1, state = :state, reason = :reason, open_items = :open, running_items = :running, succeeded_items = :succeeded,
    failed_items = :failed, cancelled_items = :cancelled, skipped_items = :skipped, ended_at = :ended_at
WHERE id = :id AND turn = :turn

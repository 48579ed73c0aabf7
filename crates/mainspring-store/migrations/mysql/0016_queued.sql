-- The line in which a run waits, and nothing for one that is not queued: lines are looked for among these alone. `queue_name` stays for
-- programs that do not know it.
ALTER TABLE run ADD COLUMN queued_line VARCHAR(255)
        GENERATED ALWAYS AS (CASE WHEN state = 'queued' THEN COALESCE(queue, 'default') END) STORED,
    DROP KEY run_waiting, ADD KEY run_waiting (queued_line, queued_place, due_at, id);

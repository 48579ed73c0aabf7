-- A line is a queue or a part of it: `QUEUE/route` and `QUEUE/@WORKER` are of routed runs, `QUEUE#NAMESPACE` of the runs of a
-- namespace. Claims of all queues go by `plain_place`, which leaves them out; `routed_line` is all of them, those of namespaces first and
-- with a # in front, and job by job: one for whose runs nobody is there hides no other.
ALTER TABLE run MODIFY COLUMN routed_line VARCHAR(255) GENERATED ALWAYS AS (
    CASE WHEN state = 'queued' AND queue LIKE '%/%' THEN queue WHEN state = 'queued' AND queue LIKE '%#%' THEN CONCAT('#', queue) END) STORED;
ALTER TABLE run ADD COLUMN plain_place BIGINT
        GENERATED ALWAYS AS (CASE WHEN state = 'queued' AND (queue IS NULL OR queue NOT LIKE '%/%' AND queue NOT LIKE '%#%')
            THEN due_at - priority * 60000 END) STORED,
    DROP KEY run_queued, ADD KEY run_queued (plain_place, due_at, id),
    DROP KEY run_routed, ADD KEY run_routed (routed_line, job_id, job_version, queued_place, due_at, id);

-- A shard that was unfinished when the run was looked at last: for as long as it is, there is nothing to do.
ALTER TABLE route_parent ADD COLUMN live_shard BINARY(16);

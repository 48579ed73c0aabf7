-- A line is a queue or a part of it: `QUEUE/route` and `QUEUE/@WORKER` are of routed runs, `QUEUE#NAMESPACE` of the runs of a
-- namespace. Claims of all queues go by this index, which leaves them out.
DROP INDEX IF EXISTS run_queued;
CREATE INDEX IF NOT EXISTS run_queued ON run ((due_at - priority * 60000), due_at, id)
    WHERE state = 'queued' AND (queue IS NULL OR queue NOT LIKE '%/%' AND queue NOT LIKE '%#%');

-- The lines of namespaces.
CREATE INDEX IF NOT EXISTS run_shared ON run (queue) WHERE state = 'queued' AND queue LIKE '%#%';

-- The lines of routed runs, job by job: one for whose runs nobody is there hides no other.
DROP INDEX IF EXISTS run_routed;
CREATE INDEX IF NOT EXISTS run_routed ON run (queue, job_id, job_version, (due_at - priority * 60000), due_at, id)
    WHERE state = 'queued' AND queue LIKE '%/%';

-- A shard that was unfinished when the run was looked at last: for as long as it is, there is nothing to do.
ALTER TABLE route_parent ADD COLUMN IF NOT EXISTS live_shard UUID;

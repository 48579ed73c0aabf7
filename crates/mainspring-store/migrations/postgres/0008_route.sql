-- What the strategies of routed jobs remember, as JSON. The row of job 0, which no job has, is what routing locks.
CREATE TABLE IF NOT EXISTS route_memory (
    job_id BIGINT PRIMARY KEY,
    memory TEXT NOT NULL
);
INSERT INTO route_memory (job_id, memory) VALUES (0, '{}') ON CONFLICT (job_id) DO NOTHING;

-- The lines of routed runs, `QUEUE/route` and `QUEUE/@WORKER`. Names have no slash.
CREATE INDEX IF NOT EXISTS run_routed ON run (queue) WHERE state = 'queued' AND queue LIKE '%/%';

-- Runs in state `waiting` whose shards execute them, and how many these are.
CREATE TABLE IF NOT EXISTS route_parent (
    run_id UUID NOT NULL PRIMARY KEY,
    job_id BIGINT NOT NULL,
    shards BIGINT NOT NULL
);

-- What the strategies of routed jobs remember, as JSON. The row of job 0, which no job has, is what routing locks.
CREATE TABLE route_memory (
    job_id INTEGER PRIMARY KEY,
    memory TEXT NOT NULL
) STRICT;
INSERT INTO route_memory (job_id, memory) VALUES (0, '{}');

-- The lines of routed runs, `QUEUE/route` and `QUEUE/@WORKER`. Names have no slash.
CREATE INDEX run_routed ON run (queue) WHERE state = 'queued' AND queue LIKE '%/%';

-- Runs in state `waiting` whose shards execute them, and how many these are.
CREATE TABLE route_parent (
    run_id BLOB NOT NULL PRIMARY KEY,
    job_id INTEGER NOT NULL,
    shards INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

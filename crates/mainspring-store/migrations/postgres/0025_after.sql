-- Triggers that fire when a run of a job ends, by the name of that job. `outcome` is a final state, or 'any'.
CREATE TABLE IF NOT EXISTS job_after (
    namespace TEXT COLLATE "C" NOT NULL,
    upstream TEXT COLLATE "C" NOT NULL,
    trigger_id BIGINT NOT NULL,
    outcome TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (namespace, upstream, trigger_id)
);
CREATE INDEX IF NOT EXISTS job_after_trigger ON job_after (trigger_id);

-- Fires that ends of runs owe to such triggers: the run that ended, its fire time and its end.
CREATE TABLE IF NOT EXISTS after_inbox (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    trigger_id BIGINT NOT NULL,
    cause UUID NOT NULL,
    fire_time BIGINT NOT NULL,
    ended_at BIGINT NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_insert_threshold = -1,
    autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_threshold = 100000);

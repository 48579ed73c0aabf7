-- Triggers that fire when a run of a job ends, by the name of that job. `outcome` is a final state, or 'any'.
CREATE TABLE job_after (
    namespace TEXT NOT NULL,
    upstream TEXT NOT NULL,
    trigger_id INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    PRIMARY KEY (namespace, upstream, trigger_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX job_after_trigger ON job_after (trigger_id);

-- Fires that ends of runs owe to such triggers: the run that ended, its fire time and its end.
CREATE TABLE after_inbox (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    trigger_id INTEGER NOT NULL,
    cause BLOB NOT NULL,
    fire_time INTEGER NOT NULL,
    ended_at INTEGER NOT NULL
) STRICT;

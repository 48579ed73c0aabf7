-- Triggers that fire when a run of a job ends, by the name of that job. `outcome` is a final state, or 'any'.
CREATE TABLE IF NOT EXISTS job_after (
    namespace VARCHAR(255) NOT NULL,
    upstream VARCHAR(255) NOT NULL,
    trigger_id BIGINT NOT NULL,
    outcome VARCHAR(16) NOT NULL,
    PRIMARY KEY (namespace, upstream, trigger_id),
    KEY job_after_trigger (trigger_id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- Fires that ends of runs owe to such triggers: the run that ended, its fire time and its end.
CREATE TABLE IF NOT EXISTS after_inbox (
    id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
    trigger_id BIGINT NOT NULL,
    cause BINARY(16) NOT NULL,
    fire_time BIGINT NOT NULL,
    ended_at BIGINT NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

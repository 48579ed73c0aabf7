-- The three tables that a fire touches, with the columns that it writes: no store could do with less. A run's key is its fire
-- time and trigger: sixteen bytes, as many as our ids have, and without making them. No partitions, no other index.
CREATE TABLE trigger_state (
    id BIGINT PRIMARY KEY,
    next_fire_at BIGINT NOT NULL,
    fired_through BIGINT
) WITH (fillfactor = 50);

CREATE TABLE run (
    fire_time BIGINT NOT NULL,
    trigger_id BIGINT NOT NULL,
    state TEXT NOT NULL,
    claimed_by BIGINT NOT NULL,
    PRIMARY KEY (fire_time, trigger_id)
) WITH (fillfactor = 70);

CREATE TABLE history (
    fire_time BIGINT NOT NULL,
    trigger_id BIGINT NOT NULL,
    state TEXT NOT NULL,
    claimed_by BIGINT NOT NULL,
    ended_at BIGINT NOT NULL,
    PRIMARY KEY (fire_time, trigger_id)
);

INSERT INTO trigger_state SELECT number, 1767225600000, NULL FROM generate_series(1, :triggers) AS number;
VACUUM ANALYZE;

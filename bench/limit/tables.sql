-- The three tables that a fire touches, with the columns that it writes: no store could do with less. Run ids are made of the fire
-- time and the trigger, so that they grow at the right edge of the index. Plain tables: no partitions, no other index.
CREATE TABLE trigger_state (
    id BIGINT PRIMARY KEY,
    next_fire_at BIGINT NOT NULL,
    fired_through BIGINT
) WITH (fillfactor = 50);

CREATE TABLE run (
    id UUID PRIMARY KEY,
    trigger_id BIGINT NOT NULL,
    state TEXT NOT NULL,
    fire_time BIGINT NOT NULL,
    claimed_by BIGINT NOT NULL
) WITH (fillfactor = 70);

CREATE TABLE history (
    id UUID PRIMARY KEY,
    trigger_id BIGINT NOT NULL,
    state TEXT NOT NULL,
    fire_time BIGINT NOT NULL,
    claimed_by BIGINT NOT NULL,
    ended_at BIGINT NOT NULL
);

CREATE FUNCTION run_id(fire_time BIGINT, trigger_id BIGINT) RETURNS UUID LANGUAGE sql IMMUTABLE AS
    $$ SELECT (lpad(to_hex(fire_time), 12, '0') || '8000' || lpad(to_hex(trigger_id), 16, '0'))::uuid $$;

INSERT INTO trigger_state SELECT number, 1767225600000, NULL FROM generate_series(1, :triggers) AS number;
VACUUM ANALYZE;

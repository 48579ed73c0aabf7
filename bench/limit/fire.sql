-- The fire part: 1,000 triggers advanced and their runs inserted, one transaction. Each connection has triggers of its own.
\set first 1000 * (:clients * random(0, :triggers / 1000 / :clients - 1) + :client_id) + 1
WITH advanced AS (
    UPDATE trigger_state
    SET next_fire_at = next_fire_at + 3600000, fired_through = next_fire_at
    WHERE id BETWEEN :first AND :first + 999
    RETURNING id, fired_through)
INSERT INTO run SELECT fired_through, id, 'running', 1 FROM advanced;

-- A whole fire: the fire part, and in a second transaction the 1,000 runs deleted and appended to the history.
\set first 1000 * (:clients * random(0, :triggers / 1000 / :clients - 1) + :client_id) + 1
WITH advanced AS (
    UPDATE trigger_state
    SET next_fire_at = next_fire_at + 3600000, fired_through = next_fire_at
    WHERE id BETWEEN :first AND :first + 999
    RETURNING id, fired_through)
INSERT INTO run SELECT fired_through, id, 'running', 1 FROM advanced;
WITH gone AS (
    DELETE FROM run r USING trigger_state t
    WHERE t.id BETWEEN :first AND :first + 999 AND r.fire_time = t.fired_through AND r.trigger_id = t.id
    RETURNING r.*)
INSERT INTO history SELECT fire_time, trigger_id, 'succeeded', claimed_by, fire_time FROM gone;

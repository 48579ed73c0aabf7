-- A whole fire: the fire part, and in a second transaction the 1,000 runs deleted and appended to the history.
\set first 1000 * (:clients * random(0, :triggers / 1000 / :clients - 1) + :client_id) + 1
WITH advanced AS (
    UPDATE trigger_state
    SET next_fire_at = next_fire_at + 3600000, fired_through = next_fire_at
    WHERE id BETWEEN :first AND :first + 999
    RETURNING id, fired_through)
INSERT INTO run SELECT run_id(fired_through, id), id, 'running', fired_through, 1 FROM advanced;
WITH ended AS (
    SELECT run_id(fired_through, id) AS id FROM trigger_state WHERE id BETWEEN :first AND :first + 999
), gone AS (
    DELETE FROM run r USING ended e WHERE r.id = e.id RETURNING r.*)
INSERT INTO history SELECT id, trigger_id, 'succeeded', fire_time, claimed_by, fire_time FROM gone;

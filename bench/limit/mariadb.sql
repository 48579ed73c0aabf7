-- The same tables and statements as for PostgreSQL, in a procedure that repeats them until a time is over: nothing crosses the network.
CREATE TABLE trigger_state (
    id BIGINT PRIMARY KEY,
    next_fire_at BIGINT NOT NULL,
    fired_through BIGINT
);

CREATE TABLE run (
    fire_time BIGINT NOT NULL,
    trigger_id BIGINT NOT NULL,
    state VARCHAR(9) CHARACTER SET ascii NOT NULL,
    claimed_by BIGINT NOT NULL,
    PRIMARY KEY (fire_time, trigger_id)
);

CREATE TABLE history (
    fire_time BIGINT NOT NULL,
    trigger_id BIGINT NOT NULL,
    state VARCHAR(9) CHARACTER SET ascii NOT NULL,
    claimed_by BIGINT NOT NULL,
    ended_at BIGINT NOT NULL,
    PRIMARY KEY (fire_time, trigger_id)
);

INSERT INTO trigger_state SELECT seq, 1767225600000, NULL FROM seq_1_to_100000;

DELIMITER //
CREATE PROCEDURE fire(whole INT, client INT, clients INT, seconds INT)
BEGIN
    DECLARE begun DATETIME(6) DEFAULT SYSDATE(6);
    DECLARE batches, from_id BIGINT DEFAULT 0;
    WHILE SYSDATE(6) < begun + INTERVAL seconds SECOND DO
        SET from_id = 1000 * (clients * FLOOR(RAND() * FLOOR(100 / clients)) + client) + 1;
        START TRANSACTION;
        UPDATE trigger_state SET fired_through = next_fire_at, next_fire_at = next_fire_at + 3600000
        WHERE id BETWEEN from_id AND from_id + 999;
        INSERT INTO run
        SELECT fired_through, id, 'running', 1 FROM trigger_state WHERE id BETWEEN from_id AND from_id + 999;
        COMMIT;
        IF whole THEN
            START TRANSACTION;
            INSERT INTO history
            SELECT r.fire_time, r.trigger_id, 'succeeded', r.claimed_by, r.fire_time
            FROM trigger_state t JOIN run r ON r.fire_time = t.fired_through AND r.trigger_id = t.id
            WHERE t.id BETWEEN from_id AND from_id + 999;
            DELETE r FROM trigger_state t JOIN run r ON r.fire_time = t.fired_through AND r.trigger_id = t.id
            WHERE t.id BETWEEN from_id AND from_id + 999;
            COMMIT;
        END IF;
        SET batches = batches + 1;
    END WHILE;
    SELECT batches, TIMESTAMPDIFF(MICROSECOND, begun, SYSDATE(6)) / 1e6;
END //
DELIMITER ;

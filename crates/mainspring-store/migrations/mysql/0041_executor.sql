-- Who executes runs, by the number under which it claims them: a node by its name, a worker as `@name`. Kept for as long as history may name it.
CREATE TABLE IF NOT EXISTS executor (
    number BIGINT NOT NULL PRIMARY KEY,
    name VARCHAR(512) NOT NULL,
    gone_at BIGINT
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

INSERT IGNORE INTO executor (number, name) SELECT incarnation, CONCAT('@', name) FROM worker;

ALTER TABLE history ADD COLUMN claimed_by BIGINT;

-- Who executes runs, by the number under which it claims them: a node by its name, a worker as `@name`. Kept for as long as history may name it.
CREATE TABLE executor (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    gone_at INTEGER
) STRICT;
INSERT INTO executor (number, name) SELECT incarnation, '@' || name FROM worker;
ALTER TABLE history ADD COLUMN claimed_by INTEGER;

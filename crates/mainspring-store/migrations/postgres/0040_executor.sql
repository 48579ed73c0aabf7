-- Who executes runs, by the number under which it claims them: a node by its name, a worker as `@name`. Kept for as long as history may name it.
CREATE TABLE IF NOT EXISTS executor (
    number BIGINT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    gone_at BIGINT
);
INSERT INTO executor (number, name) SELECT incarnation, '@' || name FROM worker ON CONFLICT (number) DO NOTHING;
ALTER TABLE history ADD COLUMN IF NOT EXISTS claimed_by BIGINT;

-- Places that people have given workers in their order; the others come after them, by name.
ALTER TABLE worker ADD COLUMN IF NOT EXISTS place BIGINT;

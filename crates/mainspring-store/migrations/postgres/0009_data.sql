-- What jobs keep between their runs; a row of its own, because most keep nothing.
CREATE TABLE IF NOT EXISTS job_data (
    job_id BIGINT PRIMARY KEY,
    data TEXT NOT NULL,
    revision BIGINT NOT NULL,
    run_id UUID,
    changed_at BIGINT NOT NULL
);

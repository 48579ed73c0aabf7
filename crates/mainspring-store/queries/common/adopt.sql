-- What a worker holds is its own: it may live.
UPDATE run SET claimed_by = :incarnation WHERE state = 'running' AND (claimed_by IS NULL OR claimed_by <> :incarnation
    AND NOT EXISTS (SELECT 1 FROM worker w WHERE w.incarnation = run.claimed_by))

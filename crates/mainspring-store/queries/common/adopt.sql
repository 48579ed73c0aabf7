-- What a worker holds is its own: it may live. Runs of workflows are held by nobody.
UPDATE run SET claimed_by = :incarnation WHERE state = 'running' AND claimed_by <> :incarnation
    AND NOT EXISTS (SELECT 1 FROM worker w WHERE w.incarnation = run.claimed_by)

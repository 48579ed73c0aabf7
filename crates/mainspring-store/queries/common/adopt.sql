UPDATE run SET claimed_by = :incarnation WHERE state = 'running' AND (claimed_by IS NULL OR claimed_by <> :incarnation)

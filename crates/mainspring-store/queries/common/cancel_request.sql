-- The first request stays.
UPDATE run SET cancel_requested_at = :at, reason = :reason WHERE id = :id AND (state = 'running' OR state = 'waiting')
    AND cancel_requested_at IS NULL

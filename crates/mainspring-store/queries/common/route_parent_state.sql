SELECT state, cancel_requested_at IS NOT NULL, reason FROM run WHERE id = :id

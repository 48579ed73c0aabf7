-- Puts a run that waits into a line of another queue. Zero rows: it has been claimed, or is not there.
UPDATE run SET queue = :line WHERE id = :id AND state = 'queued' AND coalesce(queue, 'default') = :from

-- Puts a run into another line. Zero rows: it is not there, or has been moved.
UPDATE run SET queue = :line WHERE id = :id AND coalesce(queue, 'default') = :from

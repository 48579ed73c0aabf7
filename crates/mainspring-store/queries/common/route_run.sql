-- Puts a run into the line of its worker. Zero rows: it waits no more.
UPDATE run SET queue = :line WHERE id = :id AND state = 'queued' AND queue = :from

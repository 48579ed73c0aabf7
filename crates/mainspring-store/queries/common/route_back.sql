-- A worker is to be picked again for the runs of a line.
UPDATE run SET queue = :route WHERE state = 'queued' AND queue LIKE '%/%' AND queue = :line

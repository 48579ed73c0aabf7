-- A worker is to be picked again for the runs of a line.
UPDATE run SET queue = :route WHERE routed_line = :line

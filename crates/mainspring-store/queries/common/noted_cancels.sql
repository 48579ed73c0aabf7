-- Ends asked for of runs that a process executes, or a worker that it hears, and of those that have ended.
SELECT c.run_id
FROM cancel_change c
LEFT JOIN run r ON r.id = c.run_id
LEFT JOIN worker w ON w.incarnation = r.claimed_by
WHERE r.claimed_by IS NULL OR r.claimed_by = :owner OR w.node = :owner
ORDER BY c.seq

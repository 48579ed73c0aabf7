-- Ends asked for of runs that a process executes, and of those that have ended.
SELECT c.run_id
FROM cancel_change c
LEFT JOIN run r ON r.id = c.run_id
WHERE r.claimed_by IS NULL OR r.claimed_by = :owner
ORDER BY c.seq

-- Process starts that hold running runs and have neither a node nor a worker.
SELECT i.id
FROM (SELECT DISTINCT claimed_by FROM run WHERE state = 'running') AS r
JOIN incarnation i ON i.number = r.claimed_by
WHERE NOT EXISTS (SELECT 1 FROM node n WHERE n.incarnation = r.claimed_by)
    AND NOT EXISTS (SELECT 1 FROM worker w WHERE w.incarnation = r.claimed_by)

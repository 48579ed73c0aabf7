-- Process starts that hold running runs and have no node.
SELECT i.id
FROM (SELECT DISTINCT claimed_by FROM run WHERE state = 'running') AS r
JOIN incarnation i ON i.number = r.claimed_by
WHERE NOT EXISTS (SELECT 1 FROM node n WHERE n.incarnation = r.claimed_by)

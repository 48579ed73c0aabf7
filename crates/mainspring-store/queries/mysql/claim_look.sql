-- What a claim has to know beforehand: queues for which something is set (0), lines of namespaces in which runs wait (1), and whether
-- runs wait in queues themselves (2).
SELECT 0, name FROM queue WHERE paused = 1 OR max_running IS NOT NULL OR rate_count IS NOT NULL
UNION ALL
SELECT 1, line
FROM (SELECT DISTINCT routed_line AS line FROM run FORCE INDEX (run_routed) WHERE routed_line IS NOT NULL) AS waiting
WHERE line LIKE '%#%'
UNION ALL
SELECT 2, '' FROM dual WHERE EXISTS (SELECT 1 FROM run FORCE INDEX (run_queued) WHERE plain_place IS NOT NULL)

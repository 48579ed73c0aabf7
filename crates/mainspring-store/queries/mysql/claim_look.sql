-- What a claim has to know beforehand: queues for which something is set (0), and lines of namespaces in which runs wait (1).
SELECT 0, name FROM queue WHERE paused = 1 OR max_running IS NOT NULL OR rate_count IS NOT NULL
UNION ALL
SELECT 1, line
FROM (SELECT DISTINCT routed_line AS line FROM run FORCE INDEX (run_routed) WHERE routed_line IS NOT NULL) AS waiting
WHERE line LIKE '%#%'

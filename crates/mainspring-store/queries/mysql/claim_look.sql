-- What a claim has to know beforehand: queues for which something is set (0), the first line of a namespace in which runs wait (1), and
-- whether runs wait in queues themselves (2). DISTINCT reads all runs, so each line is asked for.
SELECT 0, name FROM queue WHERE paused = 1 OR max_running IS NOT NULL OR rate_count IS NOT NULL
UNION ALL
(SELECT 1, SUBSTR(routed_line, 2)
FROM run FORCE INDEX (run_routed)
WHERE routed_line LIKE '#%'
ORDER BY routed_line
LIMIT 1)
UNION ALL
SELECT 2, '' FROM dual WHERE EXISTS (SELECT 1 FROM run FORCE INDEX (run_queued) WHERE plain_place IS NOT NULL)

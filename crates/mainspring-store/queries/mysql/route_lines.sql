-- The lines in which routed runs wait: for a worker to be picked, or for one worker.
SELECT line FROM (SELECT DISTINCT routed_line AS line FROM run FORCE INDEX (run_routed) WHERE routed_line IS NOT NULL) AS waiting
WHERE line LIKE '%/%'

-- The lines in which routed runs wait: for a worker to be picked, or for one worker.
SELECT DISTINCT routed_line FROM run WHERE routed_line IS NOT NULL

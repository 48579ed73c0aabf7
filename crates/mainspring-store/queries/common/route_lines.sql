-- The lines in which routed runs wait: for a worker to be picked, or for one worker.
SELECT DISTINCT queue FROM run WHERE state = 'queued' AND queue LIKE '%/%'

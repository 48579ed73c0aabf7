-- Zero rows: it is no run that has failed because this attempt was lost.
UPDATE history
SET state = 'succeeded', outcome = 'succeeded', reason = :reason, output = :output, exit_code = :exit_code,
    "signal" = NULL, error_code = NULL, error = NULL
WHERE id = :id AND attempt = :attempt AND state = 'failed' AND outcome = 'lost'

-- The last chunk of an attempt.
SELECT first_line, line_count
FROM log_chunk
WHERE run_id = :run AND attempt = :attempt
ORDER BY first_line DESC
LIMIT 1

-- Chunks from the one that holds a line.
SELECT first_line, line_count, data
FROM log_chunk
WHERE run_id = :run AND attempt = :attempt AND first_line >= COALESCE((
    SELECT CASE WHEN first_line + line_count > :from_line THEN first_line ELSE :from_line END
    FROM log_chunk
    WHERE run_id = :run AND attempt = :attempt AND first_line <= :from_line
    ORDER BY first_line DESC
    LIMIT 1), 0)
ORDER BY first_line

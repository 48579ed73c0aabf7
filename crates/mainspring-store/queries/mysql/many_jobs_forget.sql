-- What is known of jobs beside what they say.
DELETE l, d, w, m, s
FROM JSON_TABLE(:jobs, '$[*]' COLUMNS (id BIGINT PATH '$')) AS k
LEFT JOIN job_label l ON l.job_id = k.id
LEFT JOIN job_data d ON d.job_id = k.id
LEFT JOIN job_deadline w ON w.job_id = k.id
LEFT JOIN route_memory m ON m.job_id = k.id
LEFT JOIN job_lane s ON s.job_id = k.id

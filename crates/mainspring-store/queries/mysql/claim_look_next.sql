SELECT SUBSTR(routed_line, 2)
FROM run FORCE INDEX (run_routed)
WHERE routed_line > CONCAT('#', :after) AND routed_line LIKE '#%'
ORDER BY routed_line
LIMIT 1

SELECT routed_line FROM run FORCE INDEX (run_routed) WHERE routed_line > :after ORDER BY routed_line LIMIT 1

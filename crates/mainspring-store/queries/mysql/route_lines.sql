-- The first of the lines in which routed runs wait. Lines of namespaces begin with #. DISTINCT reads all runs, so each is asked for.
SELECT routed_line FROM run FORCE INDEX (run_routed) WHERE routed_line > '$' ORDER BY routed_line LIMIT 1

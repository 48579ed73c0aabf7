INSERT IGNORE INTO cancel_change (run_id)
SELECT UNHEX(e.id) FROM JSON_TABLE(:rows, '$[*]' COLUMNS (id CHAR(32) PATH '$[0]')) AS e

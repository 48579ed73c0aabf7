DELETE i
FROM JSON_TABLE(:messages, '$[*]' COLUMNS (id BIGINT PATH '$')) AS heard
STRAIGHT_JOIN workflow_inbox i FORCE INDEX (PRIMARY) ON i.id = heard.id

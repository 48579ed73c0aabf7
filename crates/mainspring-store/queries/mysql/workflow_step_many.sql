-- Takes turns, of runs whose rows are locked.
UPDATE JSON_TABLE(:rows, '$[*]' COLUMNS (
    run CHAR(32) PATH '$[0]',
    turn BIGINT PATH '$[1]',
    stop VARCHAR(16) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]',
    paused INT PATH '$[3]',
    children BIGINT PATH '$[4]')) AS e
STRAIGHT_JOIN workflow_run w FORCE INDEX (PRIMARY) ON w.run_id = UNHEX(e.run)
SET w.turn = e.turn, w.stop = e.stop, w.paused = e.paused, w.children = e.children

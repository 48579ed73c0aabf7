INSERT INTO backfill_need (backfill_id, seq, above_id, above_seq)
SELECT :id, r.seq, r.above_id, r.above_seq
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
    seq BIGINT PATH '$[0]',
    above_id BIGINT PATH '$[1]',
    above_seq BIGINT PATH '$[2]')) AS r

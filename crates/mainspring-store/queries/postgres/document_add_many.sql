-- Fewer rows than these: somebody else was faster.
INSERT INTO document (kind, name, body, version, at, expires_at)
SELECT v ->> 0, v ->> 1, v ->> 2, 1, CAST(v ->> 3 AS bigint), CAST(v ->> 4 AS bigint)
FROM json_array_elements(CAST(:rows AS json)) AS r (v)
ON CONFLICT (kind, name) DO NOTHING

WITH gone AS MATERIALIZED (
    SELECT ARRAY(SELECT CAST(CAST(v AS text) AS bigint) FROM json_array_elements(CAST(:jobs AS json)) AS k (v)) AS ids
)
UPDATE job SET deleted_at = CAST(:at AS bigint)
WHERE id = ANY (CAST((SELECT ids FROM gone) AS bigint[])) AND deleted_at IS NULL

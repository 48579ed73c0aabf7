WITH gone AS MATERIALIZED (
    SELECT ARRAY(SELECT CAST(CAST(v AS text) AS bigint) FROM json_array_elements(CAST(:triggers AS json)) AS k (v)) AS ids
), followers AS (
    DELETE FROM job_after WHERE trigger_id = ANY (CAST((SELECT ids FROM gone) AS bigint[]))
), triggers AS (
    DELETE FROM job_trigger WHERE id = ANY (CAST((SELECT ids FROM gone) AS bigint[]))
)
DELETE FROM trigger_state WHERE id = ANY (CAST((SELECT ids FROM gone) AS bigint[]))

-- What is known of jobs beside what they say.
WITH gone AS MATERIALIZED (
    SELECT ARRAY(SELECT CAST(CAST(v AS text) AS bigint) FROM json_array_elements(CAST(:jobs AS json)) AS k (v)) AS ids
), labels AS (
    DELETE FROM job_label WHERE job_id = ANY (CAST((SELECT ids FROM gone) AS bigint[]))
), data AS (
    DELETE FROM job_data WHERE job_id = ANY (CAST((SELECT ids FROM gone) AS bigint[]))
), deadlines AS (
    DELETE FROM job_deadline WHERE job_id = ANY (CAST((SELECT ids FROM gone) AS bigint[]))
), routes AS (
    DELETE FROM route_memory WHERE job_id = ANY (CAST((SELECT ids FROM gone) AS bigint[]))
)
DELETE FROM job_lane WHERE job_id = ANY (CAST((SELECT ids FROM gone) AS bigint[]))

SELECT definition FROM job_version WHERE job_id = :job AND version = :version

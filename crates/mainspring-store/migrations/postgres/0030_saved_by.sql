-- Who saved a version of a job, and from where: absent where that is not known.
ALTER TABLE job_version
    ADD COLUMN IF NOT EXISTS saved_by text,
    ADD COLUMN IF NOT EXISTS saved_from text;

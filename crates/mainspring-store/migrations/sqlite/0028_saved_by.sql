-- Who saved a version of a job, and from where: absent where that is not known.
ALTER TABLE job_version ADD COLUMN saved_by TEXT;
ALTER TABLE job_version ADD COLUMN saved_from TEXT;

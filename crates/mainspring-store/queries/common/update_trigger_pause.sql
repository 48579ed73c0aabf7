UPDATE job_trigger SET paused = :paused WHERE id = :id

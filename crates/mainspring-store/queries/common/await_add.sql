-- Notes what a task of a workflow run awaits: a task of runs of another job, or these themselves, whose dates lie in a range.
INSERT INTO workflow_await (run_id, task, namespace, upstream, of_task, first_date, last_date, request)
VALUES (:run, :task, (SELECT namespace FROM job WHERE id = :job), :upstream, :of_task, :first, :last, :request)

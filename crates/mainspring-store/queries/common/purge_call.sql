DELETE FROM workflow_call WHERE child = :run

SELECT n.name, n.created_at, (SELECT COUNT(*) FROM job j WHERE j.namespace = n.name AND j.deleted_at IS NULL)
FROM namespace n
WHERE n.name > :after
ORDER BY n.name
LIMIT :limit

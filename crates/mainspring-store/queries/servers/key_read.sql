-- A key that is locked has somebody at work on it.
SELECT k.request_hash, k.status, k.body, k.kept_at, COALESCE(k.claimed_at, k.kept_at), k.claimed_by,
    (SELECT COUNT(*) FROM node n WHERE n.incarnation = k.claimed_by)
FROM idempotency_key k
WHERE k."key" = :key
FOR UPDATE SKIP LOCKED

-- `previous_secret` before `secret`: MySQL assigns from left to right. Zero rows: somebody else has replaced it.
UPDATE webhook SET previous_secret = secret, previous_until = :until, secret = :secret
WHERE name = :name AND secret = :replaced

-- `previous_secret` before `secret`: MySQL assigns from left to right.
UPDATE webhook SET previous_secret = secret, previous_until = :until, secret = :secret WHERE name = :name

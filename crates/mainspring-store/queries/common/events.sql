SELECT seq, at, kind, payload FROM event WHERE seq > :after ORDER BY seq LIMIT :limit

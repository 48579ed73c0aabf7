SELECT i.id, n.name, n.address, n.version, n.standing, n.counter, n.clock_offset_ms, n.drain_asked, n.answer_ms, n.is_far
FROM node n
JOIN incarnation i ON i.number = n.incarnation
ORDER BY n.incarnation

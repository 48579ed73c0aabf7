-- Retention takes its deliveries, a few at a time.
DELETE FROM webhook WHERE name = :name

-- Webhooks that rest go on with what happens then.
SELECT MIN(noted_through) FROM webhook WHERE disabled_at IS NULL

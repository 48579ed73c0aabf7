-- What expires is looked for before each write: numbers of runs that were sent to executors are many.
CREATE INDEX IF NOT EXISTS document_expiring ON document (kind, expires_at) WHERE expires_at IS NOT NULL;

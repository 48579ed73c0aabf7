-- What expires is looked for before each write: numbers of runs that were sent to executors are many.
ALTER TABLE document ADD KEY document_expiring (kind, expires_at);

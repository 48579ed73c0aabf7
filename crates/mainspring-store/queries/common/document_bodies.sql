SELECT body FROM document WHERE kind = :kind

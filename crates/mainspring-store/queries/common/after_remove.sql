DELETE FROM after_inbox WHERE id = :id

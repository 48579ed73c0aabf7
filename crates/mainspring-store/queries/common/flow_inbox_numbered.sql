SELECT inboxes FROM flow WHERE id = :id

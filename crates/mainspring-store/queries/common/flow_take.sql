-- Waits for what the owner before is writing; what it wants to write afterwards is refused.
UPDATE flow SET epoch = epoch + 1 WHERE id = :id

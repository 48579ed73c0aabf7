INSERT INTO calendar (namespace, name, "change", definition, updated_at)
VALUES (:namespace, :name, :change, :definition, :at)
ON DUPLICATE KEY UPDATE "change" = VALUES("change"), definition = VALUES(definition), updated_at = VALUES(updated_at)

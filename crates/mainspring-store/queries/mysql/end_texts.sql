-- Adds what an attempt left in words.
UPDATE history SET output = :output, error_code = :error_code, error = :error WHERE id = :id

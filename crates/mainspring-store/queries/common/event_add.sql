INSERT INTO event (at, kind, payload) VALUES (:at, :kind, :payload)

INSERT INTO registration (one, incarnation) VALUES (1, :incarnation)
ON CONFLICT (one) DO UPDATE SET incarnation = excluded.incarnation

SELECT name, value FROM setting WHERE name LIKE 'lost_through/%'

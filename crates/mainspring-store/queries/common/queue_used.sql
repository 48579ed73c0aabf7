UPDATE queue SET used_us = :used_us WHERE name = :name

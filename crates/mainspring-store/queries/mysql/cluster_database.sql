-- Which server answers, its clock, and the least version that nodes may have. Another server has another name, even if it
-- took over the data of the one before.
SELECT CAST(CONCAT_WS('/', @@hostname, @@port, @@server_id) AS CHAR), CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED),
    (SELECT value FROM setting WHERE name = 'least_version')

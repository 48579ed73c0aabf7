-- Which server answers, and its clock. Another one has another name, even if it took over its data.
SELECT CAST(CONCAT_WS('/', @@hostname, @@port, @@server_id) AS CHAR), CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED)

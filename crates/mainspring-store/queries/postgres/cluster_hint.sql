SELECT pg_notify('mainspring_cluster', '')

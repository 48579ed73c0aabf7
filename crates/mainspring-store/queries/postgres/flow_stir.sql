SELECT pg_notify('mainspring_flow', :from)

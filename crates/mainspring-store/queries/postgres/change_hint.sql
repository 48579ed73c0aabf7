SELECT pg_notify('mainspring_change', :from)

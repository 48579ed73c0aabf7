DELETE FROM trigger_change WHERE seq IN (SELECT value FROM json_each(:numbers))

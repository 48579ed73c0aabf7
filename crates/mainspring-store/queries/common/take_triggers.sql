DELETE FROM trigger_change WHERE seq <= :seq

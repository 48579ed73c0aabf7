SELECT at, epoch, figures FROM flow_minute
WHERE flow = :flow AND at >= :after AND at < :before
ORDER BY at, epoch

UPDATE executor SET gone_at = :at WHERE number = :number

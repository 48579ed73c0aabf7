SELECT stale, blocked, placed FROM fire_batch WHERE slot = :slot AND incarnation = :incarnation AND sequence = :sequence

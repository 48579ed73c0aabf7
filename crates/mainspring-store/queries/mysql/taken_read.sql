SELECT sequence, placed FROM fire_batch WHERE slot = :slot AND incarnation = :incarnation FOR UPDATE

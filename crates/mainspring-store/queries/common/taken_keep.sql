UPDATE fire_batch SET sequence = :sequence, placed = :taken WHERE slot = :slot AND incarnation = :incarnation

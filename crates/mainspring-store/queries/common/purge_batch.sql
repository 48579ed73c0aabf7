DELETE FROM fire_batch WHERE incarnation = :incarnation AND slot = :slot

-- Why a trigger is put aside. Read only while it is in the state `error`.
UPDATE job_trigger SET error = :reason WHERE id = :id

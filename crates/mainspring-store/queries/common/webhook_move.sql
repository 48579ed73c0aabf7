UPDATE webhook SET noted_through = :through WHERE id = :id

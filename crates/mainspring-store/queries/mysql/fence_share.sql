SELECT seq FROM fence WHERE incarnation = :incarnation LOCK IN SHARE MODE

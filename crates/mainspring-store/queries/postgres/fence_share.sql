SELECT seq FROM fence WHERE incarnation = :incarnation FOR SHARE

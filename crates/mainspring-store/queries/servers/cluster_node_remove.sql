DELETE FROM node WHERE incarnation = :incarnation

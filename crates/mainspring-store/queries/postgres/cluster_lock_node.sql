SELECT counter, change FROM node WHERE incarnation = :incarnation FOR UPDATE

SELECT counter FROM node WHERE incarnation = :incarnation FOR UPDATE

//! What crosses the wire: types, error codes, job files, typed client

//! The HTTP server: resources, events, metrics, authentication

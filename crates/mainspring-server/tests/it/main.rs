//! A real server over the memory store, asked through sockets.

mod access;
mod kit;

//! The engine on real databases, and with workers of other machines.

mod cluster;
mod kit;
mod queues;
mod refused;
mod tzdata;
mod workers;

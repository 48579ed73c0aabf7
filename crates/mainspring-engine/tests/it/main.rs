//! The engine on real databases, and with workers of other machines.

mod cluster;
mod kit;
mod queues;
mod refused;
mod routing;
mod tzdata;
mod workers;

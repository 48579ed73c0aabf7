//! A real server over the memory store, asked through sockets.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod access;
mod answers;
mod bundles;
mod calendars;
mod console;
mod conversion;
mod dashboard;
mod data;
mod documents;
mod fuzz;
mod growth;
mod jobs;
mod kit;
mod live;
mod logs;
mod numbers;
mod operations;
mod pauses;
mod repeats;
mod restart;
mod runs;
mod schedules;
mod schema;
mod search;
mod sessions;
mod streams;
mod tasks;
mod threads;
mod versions;
mod webhooks;
mod why;
mod worker_faults;
mod workers;
mod workflows;
mod xxl;

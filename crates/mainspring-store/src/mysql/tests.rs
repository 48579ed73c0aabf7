//! The store against a real server, whose address is in `MAINSPRING_TEST_MYSQL`.

use std::hash::{BuildHasher, Hasher, RandomState};

use super::*;
use crate::conformance_suite;
use crate::store::Store;

/// Makes an empty database and opens it.
async fn empty() -> Arc<dyn Store> {
    tokio::task::spawn_blocking(|| Arc::new(MysqlStore::open(&database()).unwrap()) as Arc<dyn Store>).await.unwrap()
}

/// Makes a database. Answers its address.
fn database() -> String {
    let name = format!("t{:016x}", RandomState::new().build_hasher().finish());
    server().run_text(&format!("CREATE DATABASE {name}")).unwrap();
    format!("{}/{name}", server_address())
}

/// A session without a database.
fn server() -> Connection {
    let opts = Opts::from_url(&server_address()).unwrap();
    Connection::open(&opts, Purpose::Write(Duration::from_secs(60))).unwrap()
}

fn server_address() -> String {
    let Ok(server) = std::env::var("MAINSPRING_TEST_MYSQL") else {
        panic!("MAINSPRING_TEST_MYSQL names no server: run `make test`, or `cargo run -p xtask -- db mysql`");
    };
    server.trim_end_matches('/').to_owned()
}

conformance_suite!(empty);
crate::cluster_suite!(empty);

#[test]
fn answers_like_the_reference() {
    crate::conformance::differential(16, empty);
}

#[test]
fn servers_that_are_too_old_are_refused_by_name() {
    let cases = [
        ("10.11.14-MariaDB-0+deb12u2", None),
        ("10.6.0-MariaDB", None),
        ("10.5.26-MariaDB", Some("MariaDB 10.5.26-MariaDB; 10.6.0")),
        ("8.0.13", None),
        ("8.4.3-commercial", None),
        ("8.0.12", Some("MySQL 8.0.12; 8.0.13")),
        ("5.7.44-log", Some("MySQL 5.7.44-log; 8.0.13")),
    ];
    for (version, expected) in cases {
        let verdict = judge_version(version);
        match expected {
            None => assert_eq!(verdict, Ok(()), "{version}"),
            Some(text) => assert!(verdict.unwrap_err().contains(text), "{version}"),
        }
    }
}

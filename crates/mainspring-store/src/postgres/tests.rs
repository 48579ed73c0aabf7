//! The store against a real server, whose address is in `MAINSPRING_TEST_POSTGRES`.

use std::hash::{BuildHasher, Hasher, RandomState};

use super::*;
use crate::conformance_suite;
use crate::store::Store;

/// Makes an empty database and opens it.
async fn empty() -> Arc<dyn Store> {
    tokio::task::spawn_blocking(|| Arc::new(PostgresStore::open(&database()).unwrap()) as Arc<dyn Store>).await.unwrap()
}

/// Makes a schema of its own, which is as good as an empty database. Answers its address.
fn database() -> String {
    let Ok(server) = std::env::var("MAINSPRING_TEST_POSTGRES") else {
        panic!("MAINSPRING_TEST_POSTGRES names no server: run `make test`, or `cargo run -p xtask -- db postgres`");
    };
    let name = format!("t{:016x}", RandomState::new().build_hasher().finish());
    let config: Config = server.parse().unwrap();
    let connection = Connection::open(&config, &tls::connector().unwrap(), Purpose::Write(Duration::from_secs(60)));
    connection.unwrap().run_alone(&format!("CREATE SCHEMA {name}")).unwrap();
    format!("{server}?options=-csearch_path%3D{name}")
}

conformance_suite!(empty);
crate::cluster_suite!(empty);

#[test]
fn answers_like_the_reference() {
    crate::conformance::differential(16, empty);
}

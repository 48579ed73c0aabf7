//! Servers keep what is committed however they are ended, and come back where they were.

use mainspring_rig::{Database, Shutdown};

const KINDS: [Database; 2] = [Database::Postgres, Database::Mariadb];

#[test]
fn what_is_committed_outlives_every_end_of_a_server() {
    for kind in KINDS {
        let mut server = kind.start().unwrap();
        let address = server.create("kept").unwrap();
        assert!(address.ends_with(&format!(":{}/kept", server.port())), "{address}");
        server.ask_in("kept", "CREATE TABLE notes (number INT)").unwrap();
        for (number, how) in [Shutdown::Fast, Shutdown::Immediate].into_iter().enumerate() {
            server.ask_in("kept", &format!("INSERT INTO notes VALUES ({number})")).unwrap();
            server.restart(how).unwrap();
            let kept = server.ask_in("kept", "SELECT COUNT(*) FROM notes").unwrap();
            assert_eq!(kept.trim(), (number + 1).to_string(), "{kind:?}, {how:?}");
        }
        server.stop(Shutdown::Fast).unwrap();
        assert!(server.ask("SELECT 1").is_err());
    }
}

#[test]
fn sessions_are_ended_one_by_one_or_all_at_once() {
    for kind in KINDS {
        let server = kind.start().unwrap();
        let sleep = match kind {
            Database::Postgres => "SELECT pg_sleep(600)",
            // SLEEP would end without an error.
            Database::Mariadb => "SELECT BENCHMARK(100000000000, SHA2('x', 512))",
        };
        std::thread::scope(|scope| {
            for ended_by in [true, false] {
                let asked = scope.spawn(|| server.ask(sleep));
                let session = loop {
                    if let [session] = server.sessions().unwrap()[..] {
                        break session;
                    }
                };
                if ended_by {
                    // A session that is still signing in is listed, and may not be told.
                    while !asked.is_finished() {
                        server.end_sessions().unwrap();
                    }
                } else {
                    server.kill_session(session).unwrap();
                }
                assert!(asked.join().unwrap().is_err(), "{kind:?}");
                // A PostgreSQL that recovers lets nobody in meanwhile, and may begin to after it has let somebody in.
                while !server.sessions().is_ok_and(|sessions| sessions.is_empty()) {}
            }
        });
    }
}

#[test]
fn user_has_a_database_and_no_more_sessions_than_allowed() {
    for kind in KINDS {
        let server = kind.start().unwrap();
        let address = server.create_for("clerk", "office").unwrap();
        assert!(address.ends_with(&format!("://clerk@127.0.0.1:{}/office", server.port())), "{address}");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let open = |address: String| runtime.block_on(async move { mainspring_store::open(&address).await });
        let store = open(address.clone()).unwrap();
        // Another store takes two at once on MariaDB, and on PostgreSQL one beside that of the first one's listener, which opens it in
        // its own time.
        while kind == Database::Postgres && server.sessions_of("clerk").unwrap().is_empty() {}
        server.limit_sessions("clerk", Some(1)).unwrap();
        let error = open(address.clone()).map(drop).unwrap_err().to_string();
        assert!(error.contains("too many") || error.contains("max_user_connections"), "{error}");
        server.limit_sessions("clerk", None).unwrap();
        open(address).unwrap();
        drop(store);
        while server.end_sessions_of("clerk").unwrap() > 0 {}
    }
}

#[test]
fn unknown_kind_is_refused_with_those_there_are() {
    let error = Database::named("oracle").unwrap_err().to_string();
    assert!(error.contains("postgres or mysql"), "{error}");
}

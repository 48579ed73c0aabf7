//! A standby has what its server has answered, or not, and takes its place.

use mainspring_rig::{Database, Replication, Server, Shutdown};

/// A server with a row, and its standby.
fn pair(replication: Replication) -> (Server, Server) {
    let server = Database::Postgres.start().unwrap();
    server.ask("CREATE TABLE notes (number INT)").unwrap();
    note(&server, 0);
    let standby = server.standby(replication).unwrap();
    (server, standby)
}

fn note(server: &Server, number: u32) {
    server.ask(&format!("INSERT INTO notes VALUES ({number})")).unwrap();
}

fn notes(server: &Server) -> Vec<String> {
    server.ask("SELECT number FROM notes ORDER BY number").unwrap().lines().map(str::to_owned).collect()
}

fn time_line(server: &Server) -> String {
    server.ask("SELECT substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)").unwrap()
}

#[test]
fn synchronous_standby_has_whatever_was_answered() {
    let (mut server, standby) = pair(Replication::Synchronous);
    assert!(standby.ask("INSERT INTO notes VALUES (1)").is_err(), "it is to be read only");
    (1..=3).for_each(|number| note(&server, number));
    let before = time_line(&server);
    server.stop(Shutdown::Immediate).unwrap();
    standby.promote().unwrap();
    assert_eq!(notes(&standby), ["0", "1", "2", "3"]);
    assert_ne!(time_line(&standby), before);

    // It is a server like any other, also for a standby of its own.
    note(&standby, 4);
    let next = standby.standby(Replication::Synchronous).unwrap();
    note(&standby, 5);
    drop(standby);
    next.promote().unwrap();
    note(&next, 6);
    assert_eq!(notes(&next), ["0", "1", "2", "3", "4", "5", "6"]);
}

#[test]
fn standby_that_is_cut_off_has_nothing_that_was_answered_since() {
    let (mut server, standby) = pair(Replication::Asynchronous);
    server.cut_off(&standby).unwrap();
    note(&server, 1);
    server.stop(Shutdown::Immediate).unwrap();
    standby.promote().unwrap();
    assert_eq!(notes(&standby), ["0"]);
}

#[test]
fn there_is_no_standby_of_a_mariadb() {
    let server = Database::Mariadb.start().unwrap();
    let error = server.standby(Replication::Asynchronous).err().unwrap().to_string();
    assert!(error.contains("use PostgreSQL"), "{error}");
    assert!(Database::Postgres.start().unwrap().promote().is_err(), "it is no standby");
}

//! Idempotency keys.

use mainspring_core::{Incarnation, Timestamp};

use super::Batches;
use super::db::{Step, ToSql, execute, exists, instant, read_one, sql};
use super::session::Session;
use crate::key::{Claimed, Holder, KeptAnswer, KeyClaim, KeyHold, KeyRow, Release};

/// The status of a key that has no answer yet.
const NO_ANSWER: u16 = 0;

/// See [`crate::Store::claim_key`].
pub(crate) fn claim(session: &mut Session<impl Batches>, claim: &KeyClaim) -> Step<Claimed> {
    let me = session.number_of(claim.by)?;
    let db = &session.connection;
    let values: [(&str, &dyn ToSql); 4] =
        [(":key", &claim.key), (":request_hash", &claim.request_hash), (":at", &claim.at.as_millis()), (":by", &me)];
    // One of two that come at once inserts the row, and the other waits for that. The read locks it.
    execute(db, sql!("key_claim", mysql), &values)?;
    let there = read_one(db, sql!("key_read", servers), &[(":key", &claim.key)], |row| {
        let holder = match row.get::<Option<i64>>(5)? {
            Some(holder) if holder == me => Holder::Me,
            Some(_) if row.get::<i64>(6)? > 0 => Holder::Other,
            _ => Holder::Nobody,
        };
        let answer = match row.get(1)? {
            NO_ANSWER => None,
            status => Some(KeptAnswer { status, body: row.get(2)? }),
        };
        let (kept_at, claimed_at) = (instant(row, 3)?, instant(row, 4)?);
        Ok((KeyRow { request_hash: row.get(0)?, answer, kept_at, claimed_at }, holder))
    })?;
    // Locked: somebody is at work on it, or under it. Or gone: retention has taken it between the two statements.
    let Some((row, holder)) = there else { return Ok(Claimed::Pending) };
    let claimed = row.meets(claim, holder);
    if let Claimed::Yours { again: true, .. } = claimed {
        let values: [(&str, &dyn ToSql); 3] = [(":by", &me), (":at", &claim.at.as_millis()), (":key", &claim.key)];
        execute(db, sql!("key_take"), &values)?;
    }
    Ok(claimed)
}

/// The same work under the claim of the task that asks for it, if that has one.
pub(crate) fn under_claim<C: Batches, T>(
    mut work: impl FnMut(&mut Session<C>) -> Step<T> + Send + 'static,
) -> impl FnMut(&mut Session<C>) -> Step<T> + Send + 'static {
    let held = KeyHold::current();
    move |session| {
        held.as_ref().map_or(Ok(()), |held| hold(session, held))?;
        work(session)
    }
}

/// Refuses what is asked under a claim that is another's by now, and keeps the claim until the end of the transaction.
fn hold(session: &mut Session<impl Batches>, held: &KeyHold) -> Step<()> {
    let me = session.number_of(held.by)?;
    let values: [(&str, &dyn ToSql); 2] = [(":key", &held.key), (":by", &me)];
    if exists(&session.connection, sql!("key_hold", servers), &values)? { Ok(()) } else { Err(held.lost().into()) }
}

/// See [`crate::Store::keep_answer`].
pub(crate) fn answer(session: &Session<impl Batches>, key: &str, answer: &KeptAnswer, at: Timestamp) -> Step<()> {
    let values: [(&str, &dyn ToSql); 4] =
        [(":status", &answer.status), (":body", &answer.body), (":at", &at.as_millis()), (":key", &key)];
    execute(&session.connection, sql!("key_answer"), &values)?;
    Ok(())
}

/// See [`crate::Store::release_key`].
pub(crate) fn release(session: &mut Session<impl Batches>, key: &str, by: Incarnation, how: Release) -> Step<()> {
    let me = session.number_of(by)?;
    let statement = match how {
        Release::Forget => sql!("key_forget"),
        Release::LetGo => sql!("key_let_go"),
    };
    execute(&session.connection, statement, &[(":key", &key), (":by", &me)])?;
    Ok(())
}

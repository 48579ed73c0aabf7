//! Users: there are none here, so each is told what it could do, and what stands for that.

use std::collections::BTreeMap;

use super::dump::{Row, Tables};
use super::report::{Item, Kind};

/// The hashes of `123456`, which XXL-JOB ships for its first user: MD5 up to 3.1, and SHA-256 from 3.2.
const SHIPPED: [&str; 2] =
    ["e10adc3949ba59abbe56e057f20f883e", "8d969eef6ecad3c29a3a629280e686cf0c3f5d5a86aff3ca12020c923adc6c92"];

/// An item for each user, with what to do. `apps` are those of the groups.
pub(super) fn items(tables: &Tables, apps: &BTreeMap<i64, String>) -> Vec<Item> {
    tables.rows("xxl_job_user").iter().map(|row| item(row, apps)).collect()
}

fn item(row: &Row, apps: &BTreeMap<i64, String>) -> Item {
    let name = row.text("username").unwrap_or_default();
    let mut item = Item::new(Kind::User, row.number("id").unwrap_or_default(), name);
    item.refuse(match row.number("role") {
        Some(1) => "an administrator: the access token of the server stands for it, which opens everything".to_owned(),
        _ => format!("a user of {}: {}", groups(row, apps), ORDINARY),
    });
    item.change(PASSWORD);
    if row.text("password").is_some_and(|hash| SHIPPED.iter().any(|shipped| hash.eq_ignore_ascii_case(shipped))) {
        item.change("its password was 123456, which XXL-JOB ships: whatever it opens elsewhere, replace it");
    }
    item
}

/// What stands for a user who is no administrator.
const ORDINARY: &str = "nothing stands for that yet. The access token opens the jobs of all apps, so give it only to whom you trust with \
                        these; a program needs no more than the token of its app, which opens that one's jobs by the API of 3.5";

/// Why the password stays behind.
const PASSWORD: &str = "there are no users here, so its password, of which only a hash is known, is not taken";

/// The groups that a user was allowed, by their apps.
fn groups(row: &Row, apps: &BTreeMap<i64, String>) -> String {
    let ids = row.text("permission").unwrap_or_default().split(',').map(str::trim).filter(|id| !id.is_empty());
    let name = |id: &str| {
        id.parse().ok().and_then(|id: i64| apps.get(&id)).map_or_else(|| format!("group {id}"), Clone::clone)
    };
    let mut names: Vec<String> = ids.map(name).collect();
    names.sort();
    names.dedup();
    if names.is_empty() { "no app".to_owned() } else { names.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::Outcome;

    #[test]
    fn each_user_is_told_what_stands_for_it() {
        let dump = "CREATE TABLE xxl_job_info (id int);
CREATE TABLE xxl_job_user (id int, username varchar(50), password varchar(100), role tinyint, permission varchar(255));
INSERT INTO xxl_job_user VALUES
(1,'admin','E10ADC3949BA59ABBE56E057F20F883E',1,NULL),
(2,'ann','8d969eef6ecad3c29a3a629280e686cf0c3f5d5a86aff3ca12020c923adc6c92',0,'2, 1,1,9'),
(3,'bob','5f4dcc3b5aa765d61d8327deb882cf99',0,'');";
        let apps = BTreeMap::from([(1, "mail".to_owned()), (2, "billing".to_owned())]);
        let items = items(&Tables::read(dump.as_bytes()).unwrap(), &apps);
        let cases = [
            ("admin", "an administrator: the access token of the server stands for it", 3),
            ("ann", "a user of billing, group 9, mail: nothing stands for that yet", 3),
            ("bob", "a user of no app: nothing stands for that yet", 2),
        ];
        assert_eq!(items.len(), cases.len());
        for (item, (name, first, notes)) in items.iter().zip(cases) {
            assert_eq!(
                (item.name.as_str(), item.outcome, item.notes.len()),
                (name, Outcome::Refused, notes),
                "{item:?}"
            );
            assert!(item.notes[0].starts_with(first) && item.notes[1].contains("no users here"), "{item:?}");
            let is_shipped = item.notes.last().unwrap().contains("123456");
            assert_eq!(is_shipped, notes == 3, "{item:?}");
        }
    }
}

//! What a claim looks at before it takes runs: what is set, and in which lines some wait.

use std::collections::BTreeMap;
use std::sync::Arc;

use mainspring_core::batch::Queues;
use mainspring_core::line::Line;
use mainspring_core::queue::label_of;

use super::{Batches, Lines, Set, locked};
use crate::sql::db::{Row, Step, read, read_one, sql};

/// What a claim has to know beforehand.
#[derive(Default)]
pub(super) struct Look {
    /// Queues for which something is set.
    ruled: Vec<String>,
    /// Labels for which something is set.
    pub(super) labels: Vec<String>,
    /// Lines of namespaces and labels in which runs wait.
    shared: Vec<String>,
    /// Whether runs wait in queues themselves.
    has_plain: bool,
    /// The lines that were looked at, where these were not all.
    known: Option<Heads>,
}

/// Lines, and the places of their first runs.
type Heads = BTreeMap<String, Option<i64>>;

/// A look at some lines, each from a place on, below which no run is known to wait.
pub(crate) struct Glance {
    /// Queues and labels for which something is set.
    pub(crate) set: Vec<String>,
    /// The lines with the places of their first runs.
    pub(crate) heads: Heads,
}

/// What a row says.
const RULED: u8 = 0;
const SHARED: u8 = 1;

/// Where a namespace's runs wait, the first first. Nothing stands for all queues together.
pub(super) type Share = Vec<Option<String>>;

impl Look {
    pub(super) fn take(db: &impl Batches, short: bool) -> Step<Self> {
        let mut look = match db.glance()? {
            Some(glance) => Self::of(glance),
            None => Self::whole(db)?,
        };
        let is_wanted = |line: Line<'_>| line.is_beside() && !(short && line.is_slow());
        look.shared.retain(|line| is_wanted(Line::parse(line)));
        look.ruled.sort_unstable();
        look.shared.sort_unstable();
        Ok(look)
    }

    /// Looks at all lines.
    fn whole(db: &impl Batches) -> Step<Self> {
        let found = |row: &Row<'_>| Ok((row.get::<u8>(0)?, row.get::<String>(1)?));
        let mut look = Self::default();
        for (kind, name) in read(db, sql!("claim_look", mysql), &[], found)? {
            match kind {
                RULED => look.note_set(name),
                SHARED => look.shared.push(name),
                _ => look.has_plain = true,
            }
        }
        db.add_lines(Lines::Shared, &mut look.shared)?;
        Ok(look)
    }

    fn of(Glance { set, heads }: Glance) -> Self {
        let mut look = Self::default();
        set.into_iter().for_each(|name| look.note_set(name));
        let waiting = || heads.iter().filter(|(_, head)| head.is_some()).map(|(line, _)| line);
        look.shared = waiting().cloned().collect();
        look.has_plain = waiting().any(|line| Line::parse(line).is_plain());
        look.known = Some(heads);
        look
    }

    fn note_set(&mut self, name: String) {
        if label_of(&name).is_some() { self.labels.push(name) } else { self.ruled.push(name) }
    }

    /// The namespaces that share what is claimed: of one queue after the other, or of all at once.
    pub(super) fn steps(&self, db: &impl Batches, queues: &Queues) -> Step<Vec<Vec<Share>>> {
        let Queues::Named(queues) = queues.of().1 else { return Ok(vec![self.shares_of_all(db)?]) };
        let shares = |queue: &Arc<str>| {
            let itself = Some(&**queue).filter(|queue| self.may_have(queue));
            let others = self.shared.iter().filter(|line| Line::parse(line).queue() == &**queue);
            self.by_sharer(db, itself.into_iter().chain(others.map(String::as_str)))
        };
        queues.iter().map(shares).collect()
    }

    /// Whether runs may wait in a queue itself. What is known of only some lines says nothing of a worker's that is not among them.
    fn may_have(&self, queue: &str) -> bool {
        match &self.known {
            Some(heads) => heads.get(queue).map_or(!Line::parse(queue).is_plain(), Option::is_some),
            None => self.has_plain || !Line::parse(queue).is_plain(),
        }
    }

    fn shares_of_all(&self, db: &impl Batches) -> Step<Vec<Share>> {
        let (mut shares, mut lines) = (Vec::new(), Vec::new());
        let is_plain_shared = self.shared.iter().any(|line| Line::parse(line).sharer().is_empty());
        if self.has_plain && self.ruled.is_empty() && !is_plain_shared {
            shares.push(vec![None]);
        } else if self.has_plain {
            lines = self.plain_lines(db)?;
        }
        shares.extend(self.by_sharer(db, lines.iter().chain(&self.shared).map(String::as_str))?);
        Ok(shares)
    }

    /// The queues in which runs wait.
    fn plain_lines(&self, db: &impl Batches) -> Step<Vec<String>> {
        if let Some(heads) = &self.known {
            let waiting = heads.iter().filter(|(line, head)| head.is_some() && Line::parse(line).is_plain());
            return Ok(waiting.map(|(line, _)| line.clone()).collect());
        }
        let mut lines = read(db, sql!("queues_waiting", mysql), &[], |row| row.get::<String>(0))?;
        db.add_lines(Lines::Any, &mut lines)?;
        lines.retain(|line| Line::parse(line).is_plain());
        Ok(lines)
    }

    /// Locks what is set for queues of these lines, in order of names, as everybody does.
    pub(super) fn rules(&self, db: &impl Batches, steps: &[Vec<Share>]) -> Step<BTreeMap<String, Set>> {
        let lines = || steps.iter().flatten().flatten().flatten();
        let mut rules = BTreeMap::new();
        for name in self.ruled.iter().filter(|name| lines().any(|line| Line::parse(line).queue() == name.as_str())) {
            rules.extend(locked(db, name)?.map(|set| (name.clone(), set)));
        }
        Ok(rules)
    }

    /// From which place on runs of a line are to be taken, or of all queues together.
    pub(super) fn from(&self, line: Option<&str>) -> i64 {
        let Some(heads) = &self.known else { return i64::MIN };
        let head = match line {
            Some(line) => heads.get(line).copied().flatten(),
            None => heads.iter().filter(|(line, _)| Line::parse(line).is_plain()).filter_map(|(_, head)| *head).min(),
        };
        head.unwrap_or(i64::MIN)
    }

    /// The lines of each who shares what is claimed, `default` first.
    fn by_sharer<'a>(&self, db: &impl Batches, lines: impl Iterator<Item = &'a str>) -> Step<Vec<Share>> {
        let mut sharers: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        lines.for_each(|line| sharers.entry(Line::parse(line).sharer()).or_default().push(line.to_owned()));
        sharers.into_values().map(|lines| self.by_head(db, lines)).collect()
    }

    /// Lines in the order of their first runs: none starves behind others.
    fn by_head(&self, db: &impl Batches, lines: Vec<String>) -> Step<Share> {
        if lines.len() < 2 {
            return Ok(lines.into_iter().map(Some).collect());
        }
        let mut placed = Vec::with_capacity(lines.len());
        for line in lines {
            let place = match self.known.as_ref().and_then(|heads| heads.get(&line)) {
                Some(head) => *head,
                None => read_one(db, sql!("queue_head", mysql), &[(":queue", &line)], |row| row.get::<i64>(0))?,
            };
            placed.extend(place.map(|place| (place, line)));
        }
        placed.sort_unstable();
        Ok(placed.into_iter().map(|(_, line)| Some(line)).collect())
    }
}

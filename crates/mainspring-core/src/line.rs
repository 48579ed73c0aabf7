//! Queue lines: the partitions of a queue from which claims take runs.
//!
//! A queued run waits in exactly one line. A line is kept and compared as one text, so that an index over it finds the next run; this
//! module alone prints and parses that text:
//!
//! | line | text | who takes runs from it |
//! |---|---|---|
//! | of a queue, namespace `default` | `QUEUE` | everyone who serves the queue |
//! | of another namespace | `QUEUE#NAMESPACE` | the same, in turn with other namespaces |
//! | of jobs that are not known to be [short](crate::lane) | `QUEUE#~`, `QUEUE#NAMESPACE~` | the same, but not all of their slots |
//! | of a [label](crate::queue::label_of) that is full | `QUEUE#TAG!`, `QUEUE#TAG!NAMESPACE~` | the same, as far as the label has room |
//! | of runs for which a worker is to be picked | `QUEUE/route` | nobody: the [router](crate::router) moves them |
//! | of one worker | `QUEUE/@WORKER` | that worker |
//! | of [workflows](WORKFLOW_LINE) and their [waiting tasks](HOLD_LINE) | `workflow/tasks`, `workflow/holds` | nobody: the engine ends them |
//!
//! Names of queues and namespaces contain none of these marks.

use std::fmt;

use crate::id::mix;

/// The namespace whose runs wait in the line that is called like the queue.
pub const PLAIN_NAMESPACE: &str = "default";

/// How much of a namespace's name a line holds, in bytes: the text has to fit into a column of 255. Namespaces that begin with the same
/// 119 bytes share a line.
const NAMESPACE_MAX: usize = 119;

/// The line in which runs of workflows wait to be begun. No worker takes runs from it, and none is picked for it.
pub const WORKFLOW_LINE: &str = "workflow/tasks";

/// The line in which runs of tasks wait that do nothing but wait. Like the one of workflows, nobody takes runs from it.
pub const HOLD_LINE: &str = "workflow/holds";

/// The queue that the lines of workflows belong to.
const WORKFLOW_QUEUE: &str = "workflow";

const BESIDE: char = '#';
const ROUTED: char = '/';
const SLOW: char = '~';
const LABEL: char = '!';
const ROUTE: &str = "route";
const WORKER: char = '@';

/// A line, read from its text. [`Display`](fmt::Display) writes the text.
///
/// ```
/// use mainspring_core::line::{LabelTag, Line};
/// let line = Line::shared("mail", "billing");
/// assert_eq!(line.to_string(), "mail#billing");
/// assert_eq!(line.slow().to_string(), "mail#billing~");
/// assert_eq!(Line::parse("mail#billing~"), line.slow());
/// assert_eq!(line.labelled("tier=gold").label(), Some(LabelTag::of("tier=gold")));
/// assert_eq!(Line::parse("mail/@north").worker(), Some("north"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Line<'a> {
    /// Everyone who serves the queue takes runs from it.
    Shared {
        /// The queue.
        queue: &'a str,
        /// The namespace of the runs.
        namespace: &'a str,
        /// The full label for which the runs wait.
        label: Option<LabelTag>,
        /// Whether the runs are of jobs that are not known to be short.
        slow: bool,
    },
    /// The router picks a worker for each of its runs.
    Route {
        /// The queue.
        queue: &'a str,
    },
    /// One worker takes runs from it.
    Worker {
        /// The queue.
        queue: &'a str,
        /// The worker's name.
        worker: &'a str,
    },
    /// [`WORKFLOW_LINE`].
    Workflow,
    /// [`HOLD_LINE`].
    Hold,
}

impl<'a> Line<'a> {
    /// Returns the line of a namespace in a queue.
    #[must_use]
    pub fn shared(queue: &'a str, namespace: &'a str) -> Self {
        let namespace = namespace.get(..NAMESPACE_MAX).unwrap_or(namespace);
        Self::Shared { queue, namespace, label: None, slow: false }
    }

    /// Reads the text of a line. Every text is one: what has no marks is a queue.
    #[must_use]
    pub fn parse(text: &'a str) -> Self {
        match text.split_once([ROUTED, BESIDE]) {
            None => Self::shared(text, PLAIN_NAMESPACE),
            Some((queue, rest)) if text.as_bytes()[queue.len()] == ROUTED as u8 => match rest.strip_prefix(WORKER) {
                Some(worker) => Self::Worker { queue, worker },
                None if text == WORKFLOW_LINE => Self::Workflow,
                None if text == HOLD_LINE => Self::Hold,
                None => Self::Route { queue },
            },
            Some((queue, rest)) => {
                let (label, rest) = match rest.split_once(LABEL) {
                    Some((tag, rest)) => (LabelTag::parse(tag), rest),
                    None => (None, rest),
                };
                let namespace = rest.strip_suffix(SLOW).unwrap_or(rest);
                let slow = namespace.len() < rest.len();
                Self::Shared {
                    queue,
                    namespace: if namespace.is_empty() { PLAIN_NAMESPACE } else { namespace },
                    label,
                    slow,
                }
            }
        }
    }

    /// Returns the queue that the line belongs to.
    #[must_use]
    pub const fn queue(self) -> &'a str {
        match self {
            Self::Shared { queue, .. } | Self::Route { queue } | Self::Worker { queue, .. } => queue,
            Self::Workflow | Self::Hold => WORKFLOW_QUEUE,
        }
    }

    /// Returns the line of another queue in which a run of this one waits as it does here. For a run that waits for one worker, another is
    /// picked there. Nothing: what workflows wait for stays where it is.
    ///
    /// ```
    /// use mainspring_core::line::Line;
    /// assert_eq!(Line::parse("mail#billing~").in_queue("bulk"), Some(Line::parse("bulk#billing~")));
    /// assert_eq!(Line::parse("mail/@north").in_queue("bulk"), Some(Line::Route { queue: "bulk" }));
    /// assert_eq!(Line::Hold.in_queue("bulk"), None);
    /// ```
    #[must_use]
    pub const fn in_queue(self, queue: &'a str) -> Option<Self> {
        match self {
            Self::Shared { namespace, label, slow, .. } => Some(Self::Shared { queue, namespace, label, slow }),
            Self::Route { .. } | Self::Worker { .. } => Some(Self::Route { queue }),
            Self::Workflow | Self::Hold => None,
        }
    }

    /// Returns the worker whose line this is.
    #[must_use]
    pub const fn worker(self) -> Option<&'a str> {
        if let Self::Worker { worker, .. } = self { Some(worker) } else { None }
    }

    /// Returns the tag of the label for which the runs wait.
    #[must_use]
    pub const fn label(self) -> Option<LabelTag> {
        if let Self::Shared { label, .. } = self { label } else { None }
    }

    /// Returns who shares what is claimed with others: a namespace, or the empty text for `default`, which comes first.
    #[must_use]
    pub fn sharer(self) -> &'a str {
        match self {
            Self::Shared { namespace, .. } if namespace != PLAIN_NAMESPACE => namespace,
            _ => "",
        }
    }

    /// Whether its text is the name of its queue.
    #[must_use]
    pub fn is_plain(self) -> bool {
        matches!(self, Self::Shared { namespace: PLAIN_NAMESPACE, label: None, slow: false, .. })
    }

    /// Whether it is a shared line beside the plain one: of a namespace, of a label or of slow jobs.
    #[must_use]
    pub fn is_beside(self) -> bool {
        !self.is_routed() && !self.is_plain()
    }

    /// Whether its runs are of jobs that are not known to be short.
    #[must_use]
    pub const fn is_slow(self) -> bool {
        matches!(self, Self::Shared { slow: true, .. })
    }

    /// Whether its runs wait for one worker, for one to be picked, or for no worker at all.
    #[must_use]
    pub const fn is_routed(self) -> bool {
        !matches!(self, Self::Shared { .. })
    }

    /// Whether nobody takes runs from it, nor picks a worker for them: they are what workflows wait for.
    #[must_use]
    pub const fn is_of_workflows(self) -> bool {
        matches!(self, Self::Workflow | Self::Hold)
    }

    /// Returns the line beside it for runs of jobs that are not known to be short. Routed lines have none and stay as they are.
    #[must_use]
    pub const fn slow(self) -> Self {
        match self {
            Self::Shared { queue, namespace, label, .. } => Self::Shared { queue, namespace, label, slow: true },
            routed => routed,
        }
    }

    /// Returns the line beside it for runs whose job has a label that is full. Routed lines stay as they are.
    #[must_use]
    pub fn labelled(self, label: &str) -> Self {
        match self {
            Self::Shared { queue, namespace, slow, .. } => {
                Self::Shared { queue, namespace, label: Some(LabelTag::of(label)), slow }
            }
            routed => routed,
        }
    }
}

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Route { queue } => write!(f, "{queue}{ROUTED}{ROUTE}"),
            Self::Worker { queue, worker } => write!(f, "{queue}{ROUTED}{WORKER}{worker}"),
            Self::Workflow => f.write_str(WORKFLOW_LINE),
            Self::Hold => f.write_str(HOLD_LINE),
            Self::Shared { queue, .. } if self.is_plain() => f.write_str(queue),
            Self::Shared { queue, label, slow, .. } => {
                write!(f, "{queue}{BESIDE}")?;
                if let Some(tag) = label {
                    write!(f, "{tag}{LABEL}")?;
                }
                f.write_str(self.sharer())?;
                if slow { write!(f, "{SLOW}") } else { Ok(()) }
            }
        }
    }
}

/// What stands for a label in a line: four characters, so that the line fits into a column. Two labels that have the same tag share a
/// line, and wait for each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LabelTag([u8; 4]);

impl LabelTag {
    /// Returns the tag of a label.
    #[must_use]
    pub fn of(label: &str) -> Self {
        const CHARACTERS: &[u8; 64] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";
        let hash = label.bytes().fold(0, |hash, byte| mix(hash ^ u64::from(byte)));
        Self(std::array::from_fn(|place| CHARACTERS[(hash >> (6 * place) & 63) as usize]))
    }

    fn parse(text: &str) -> Option<Self> {
        text.as_bytes().try_into().ok().map(Self)
    }
}

impl fmt::Display for LabelTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{}", char::from(*byte)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routing::QUEUE_MAX;

    #[test]
    fn lines_are_written_as_tables_hold_them() {
        let (mail, billing) = (Line::shared("mail", "default"), Line::shared("mail", "billing"));
        let tag = LabelTag::of("tier=gold");
        for (line, text) in [
            (mail, "mail".to_owned()),
            (billing, "mail#billing".into()),
            (mail.slow(), "mail#~".into()),
            (billing.slow(), "mail#billing~".into()),
            (mail.labelled("tier=gold"), format!("mail#{tag}!")),
            (billing.labelled("tier=gold"), format!("mail#{tag}!billing")),
            (mail.labelled("tier=gold").slow(), format!("mail#{tag}!~")),
            (billing.slow().labelled("tier=gold"), format!("mail#{tag}!billing~")),
            (Line::Route { queue: "mail" }, "mail/route".into()),
            (Line::Worker { queue: "mail", worker: "north" }, "mail/@north".into()),
            (Line::Worker { queue: "mail", worker: "w#1~" }, "mail/@w#1~".into()),
            (Line::Workflow, WORKFLOW_LINE.into()),
            (Line::Hold, HOLD_LINE.into()),
        ] {
            assert_eq!((line.to_string(), Line::parse(&text)), (text.clone(), line), "there and back");
            let queue = if line.is_of_workflows() { "workflow" } else { "mail" };
            assert_eq!(line.queue(), queue, "{text}");
            assert_eq!(line.is_routed(), text.contains('/'), "{text}");
            assert_eq!(line.is_plain(), text == "mail", "{text}");
            assert_eq!(line.is_beside(), !text.contains('/') && text != "mail", "{text}");
            assert_eq!(line.is_slow(), text.ends_with('~') && !line.is_routed(), "{text}");
            assert_eq!(line.sharer(), if text.contains("billing") { "billing" } else { "" }, "{text}");
            assert_eq!(line.slow().slow(), line.slow(), "marked once");
            let labelled = line.labelled("tier=gold");
            assert_eq!(labelled.labelled("tier=gold"), labelled, "marked once");
            assert_eq!(labelled.label().is_some(), !line.is_routed(), "routed runs stay where they are");
        }
    }

    #[test]
    fn longest_line_fits_into_a_column() {
        let (queue, namespace) = ("q".repeat(128), "n".repeat(128));
        let full = Line::shared(&queue, &namespace).labelled("tier=gold").slow().to_string();
        assert!(full.len() <= 255, "a column of MySQL has that many: {}", full.len());
        assert_eq!(Line::parse(&full).sharer(), &namespace[..NAMESPACE_MAX]);
        let (queue, worker) = ("q".repeat(QUEUE_MAX), "w".repeat(128));
        assert!(Line::Worker { queue: &queue, worker: &worker }.to_string().len() <= 255);
    }
}

//! Who claims files, and whose claims are over.

/// A process that claims files for a flow: its owner at an epoch, or a node that fills an inbox of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Claimant {
    pub(super) flow: i64,
    /// Of the owner, as far as it is known.
    pub(super) epoch: i64,
    /// The inbox, if it is not the owner.
    pub(super) inbox: Option<i64>,
    /// Inboxes that may still be filled, where they are known.
    pub(super) open: Option<Vec<i64>>,
}

impl Claimant {
    /// What stands for it in the names of its files.
    pub(super) fn tag(&self) -> String {
        self.inbox.map_or_else(|| self.epoch.to_string(), |number| format!("b{number}"))
    }

    /// Whether whoever has this tag can keep nothing more, so that its files are free.
    pub(super) fn is_over(&self, tag: &str) -> bool {
        match tag.strip_prefix('b') {
            None => tag.parse::<i64>().is_ok_and(|epoch| epoch < self.epoch),
            Some(number) => number.parse::<i64>().is_ok_and(|number| {
                self.inbox != Some(number) && self.open.as_ref().is_some_and(|open| !open.contains(&number))
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_are_over_with_the_epoch_or_the_inbox_of_who_has_them() {
        let owner = Claimant { flow: 7, epoch: 5, inbox: None, open: Some(vec![2]) };
        let branch = Claimant { inbox: Some(2), open: Some(vec![2, 3]), ..owner.clone() };
        let unsure = Claimant { open: None, ..branch.clone() };
        assert_eq!((owner.tag().as_str(), branch.tag().as_str()), ("5", "b2"));
        // tag, for the owner, for the branch, where inboxes are not known
        let cases = [
            ("4", true, true, true),
            ("5", false, false, false),
            ("b1", true, true, false),
            ("b2", false, false, false),
            ("b3", true, false, false),
            ("bx", false, false, false),
        ];
        for (tag, of_owner, of_branch, of_unsure) in cases {
            let answers = (owner.is_over(tag), branch.is_over(tag), unsure.is_over(tag));
            assert_eq!(answers, (of_owner, of_branch, of_unsure), "{tag}");
        }
    }
}

//! Which worker executes a run, in files and in the core.

use mainspring_api::{JobSpec, Routing as Written};
use mainspring_core::routing::{Routing, Strategy};

/// One word in files for each in the core.
const WORDS: [(Written, Strategy); 11] = [
    (Written::Any, Strategy::Any),
    (Written::First, Strategy::First),
    (Written::Last, Strategy::Last),
    (Written::Round, Strategy::Round),
    (Written::Random, Strategy::Random),
    (Written::ConsistentHash, Strategy::ConsistentHash),
    (Written::LeastFrequentlyUsed, Strategy::LeastFrequentlyUsed),
    (Written::LeastRecentlyUsed, Strategy::LeastRecentlyUsed),
    (Written::Failover, Strategy::Failover),
    (Written::BusyOver, Strategy::BusyOver),
    (Written::ShardingBroadcast, Strategy::ShardingBroadcast),
];

pub(super) fn read(spec: &JobSpec) -> Routing {
    let written = spec.routing.unwrap_or_default();
    let (_, strategy) = WORDS.iter().find(|(word, _)| *word == written).expect("each has one");
    Routing { strategy: *strategy, workers: spec.workers.clone(), key: spec.routing_key.clone() }
}

/// Nothing where that is what files without a word say.
pub(super) fn written(strategy: Strategy) -> Option<Written> {
    let (word, _) = WORDS.iter().find(|(_, known)| *known == strategy).expect("each has one");
    (strategy != Strategy::default()).then_some(*word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_stands_for_the_strategy_of_its_name() {
        assert_eq!(WORDS.map(|(_, strategy)| strategy), *Strategy::ALL);
        for (word, strategy) in WORDS {
            assert_eq!(serde_json::to_value(word).unwrap(), strategy.as_str());
            let spec = JobSpec { routing: Some(word), ..JobSpec::default() };
            assert_eq!(read(&spec).strategy, strategy);
            assert_eq!(written(strategy), Some(word).filter(|word| *word != Written::Any));
        }
    }
}

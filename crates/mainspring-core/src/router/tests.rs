use std::collections::BTreeMap;

use proptest::prelude::{any, prop, prop_assert, prop_assert_eq, proptest};

use super::ring::{Ring, position};
use super::*;
use crate::id::RunSource;
use crate::job::{JobKey, Task};
use crate::routing::{Routing, ended};
use crate::run::{RunState, Verdict};
use mainspring_schedule::Timestamp;

fn worker(name: &str) -> Candidate {
    Candidate {
        name: name.into(),
        queues: vec!["q".into()],
        labels: BTreeMap::new(),
        slots: 2,
        heard: true,
        place: None,
    }
}

fn job(strategy: Strategy) -> Job {
    let mut job = Job::new(JobKey::new("n", "j"), Task::Noop);
    job.queue = "q".into();
    job.routing.strategy = strategy;
    job
}

fn run<'a>(definition: &'a Job, number: u64, input: Option<&'a str>) -> Unrouted<'a> {
    let id = RunId::new(Timestamp::from_millis(0), RunSource::Asked(JobId(7), number));
    Unrouted { run: id, job: JobId(7), definition, input, shard: None }
}

/// Where so many runs go.
fn routed(router: &mut Router, definition: &Job, memory: &mut Memory, count: u64) -> Vec<Option<String>> {
    (0..count).map(|number| one(router, &run(definition, number, None), memory)).collect()
}

/// Where a run goes that goes to one worker.
fn one(router: &mut Router, run: &Unrouted<'_>, memory: &mut Memory) -> Option<String> {
    match router.route(run, memory) {
        Choice::Nobody => None,
        Choice::One(name) => Some(name),
        Choice::Each(names) => panic!("{names:?}"),
    }
}

fn names(names: &[&str]) -> Vec<Option<String>> {
    names.iter().map(|name| Some((*name).to_owned())).collect()
}

fn three() -> Router {
    Router::new(["c", "a", "b"].map(worker).to_vec())
}

#[test]
fn first_and_last_go_by_names() {
    let memory = &mut Memory::default();
    assert_eq!(routed(&mut three(), &job(Strategy::First), memory, 2), names(&["a", "a"]));
    assert_eq!(routed(&mut three(), &job(Strategy::Last), memory, 2), names(&["c", "c"]));
    assert_eq!(*memory, Memory::default(), "they remember nothing");
}

#[test]
fn workers_with_a_place_come_first_and_in_its_order() {
    let at = |name: &str, place| Candidate { place, ..worker(name) };
    let mut router = Router::new(vec![at("a", None), at("d", Some(0)), at("b", None), at("c", Some(1))]);
    let memory = &mut Memory::default();
    assert_eq!(routed(&mut router, &job(Strategy::First), memory, 1), names(&["d"]));
    assert_eq!(routed(&mut router, &job(Strategy::Last), memory, 1), names(&["b"]));
    let order = names(&["d", "c", "a", "b"]);
    assert_eq!(routed(&mut router, &job(Strategy::LeastRecentlyUsed), memory, 4), order, "who is new comes in order");
    let mut twice = Router::new(vec![at("a", None), at("b", Some(3)), at("a", Some(7)), at("c", Some(5))]);
    let order = names(&["b", "c", "a", "b"]);
    assert_eq!(routed(&mut twice, &job(Strategy::LeastRecentlyUsed), &mut Memory::default(), 4), order, "a is one");
}

#[test]
fn round_goes_on_where_it_was() {
    let (job, mut memory) = (job(Strategy::Round), Memory { round: Some(8), ..Memory::default() });
    assert_eq!(routed(&mut three(), &job, &mut memory, 4), names(&["a", "b", "c", "a"]));
    let kept = serde_json::to_string(&memory).unwrap();
    assert_eq!(kept, r#"{"round":12}"#);
    let mut memory = serde_json::from_str(&kept).unwrap();
    assert_eq!(routed(&mut three(), &job, &mut memory, 1), names(&["b"]), "on another node as well");
    let mut fresh = Memory::default();
    routed(&mut three(), &job, &mut fresh, 1);
    assert!(fresh.round.unwrap() < 100, "it begins below 100, as XXL-JOB does");
}

#[test]
fn least_recently_used_is_the_eldest() {
    let (job, mut memory) = (job(Strategy::LeastRecentlyUsed), Memory::default());
    assert_eq!(routed(&mut three(), &job, &mut memory, 4), names(&["a", "b", "c", "a"]));
    let mut others = Router::new(["b", "c", "d"].map(worker).to_vec());
    let order = names(&["b", "c", "d", "b"]);
    assert_eq!(routed(&mut others, &job, &mut memory, 4), order, "who is gone is forgotten, who is new comes last");
}

#[test]
fn least_frequently_used_has_the_fewest_and_a_newcomer_is_not_flooded() {
    let (job, mut memory) = (job(Strategy::LeastFrequentlyUsed), Memory::default());
    memory.counts = [("a", 1_000), ("b", 998), ("gone", 0)].map(|(name, count)| (name.to_owned(), count)).into();
    let mut two = Router::new(["a", "b"].map(worker).to_vec());
    assert_eq!(routed(&mut two, &job, &mut memory, 3), names(&["b", "b", "a"]));
    routed(&mut three(), &job, &mut memory, 30);
    let counts = memory.counts.values().copied().collect::<Vec<_>>();
    let (least, most) = (counts.iter().min().unwrap(), counts.iter().max().unwrap());
    assert!(*least > 1_000 && most - least <= 1, "{counts:?}");
}

#[test]
fn failover_passes_over_whom_nobody_hears() {
    let mut workers = ["a", "b", "c"].map(worker);
    workers[0].heard = false;
    let mut router = Router::new(workers.to_vec());
    assert_eq!(routed(&mut router, &job(Strategy::Failover), &mut Memory::default(), 1), names(&["b"]));
    let none = ["a", "b"].map(|name| Candidate { heard: false, ..worker(name) });
    let mut router = Router::new(none.to_vec());
    let anyway = routed(&mut router, &job(Strategy::Failover), &mut Memory::default(), 1);
    assert_eq!(anyway, names(&["a"]), "as long as nobody is taken for dead");
}

#[test]
fn busy_over_gives_each_worker_one_run_of_the_job() {
    let (job, memory) = (job(Strategy::BusyOver), &mut Memory::default());
    let mut router = three();
    router.note_load("b", JobId(8), 2);
    assert_eq!(routed(&mut router, &job, memory, 3), [Some("a".into()), Some("c".into()), None], "b has no free slot");
}

#[test]
fn label_without_a_strategy_goes_by_free_slots() {
    let mut definition = job(Strategy::Any);
    definition.routing.workers = BTreeMap::from([("zone".into(), "eu".into())]);
    let labelled = |name: &str, zone: &str| Candidate {
        labels: BTreeMap::from([("zone".into(), zone.into()), ("disk".into(), "ssd".into())]),
        ..worker(name)
    };
    let mut router = Router::new(vec![labelled("a", "us"), labelled("b", "eu"), labelled("c", "eu"), worker("d")]);
    router.note_load("b", JobId(1), 1);
    let wanted = [Some("c".into()), Some("b".into()), Some("c".into()), None];
    assert_eq!(routed(&mut router, &definition, &mut Memory::default(), 4), wanted);
    definition.routing.workers.insert("disk".into(), "hdd".into());
    assert_eq!(routed(&mut router, &definition, &mut Memory::default(), 1), [None], "every pair must match");
}

#[test]
fn broadcast_reaches_each_worker_that_fits() {
    let mut definition = job(Strategy::ShardingBroadcast);
    let mut router = three();
    let run = run(&definition, 1, None);
    let all = Choice::Each(["a", "b", "c"].map(str::to_owned).into());
    assert_eq!(router.route(&run, &mut Memory::default()), all, "busy or not");
    assert_eq!(router.load["b"][&JobId(7)], 1);
    let ids: BTreeSet<RunId> = (0..1_000).map(|index| run.run.shard(JobId(7), index)).collect();
    assert_eq!(ids.len(), 1_000, "each shard has an id of its own");
    assert!(ids.iter().all(|id| id.time() == run.run.time() && *id != run.run));
    for (shard, wanted) in [(1, "b"), (3, "a")] {
        let again = Unrouted { shard: Some(shard), ..run };
        assert_eq!(one(&mut router, &again, &mut Memory::default()).as_deref(), Some(wanted), "shard {shard} again");
    }
    definition.routing.workers.insert("zone".into(), "eu".into());
    assert_eq!(routed(&mut router, &definition, &mut Memory::default(), 1), [None]);
}

#[test]
fn reason_names_a_few_shards() {
    let states = vec![RunState::Skipped; 12];
    let (verdict, reason) = ended(&states, true);
    assert_eq!(verdict, Verdict::Cancelled);
    assert!(reason.unwrap().ends_with("9 (skipped) and 2 others of 12"));
}

#[test]
fn only_workers_of_the_queue_are_asked_and_none_is_no_choice() {
    for strategy in Strategy::ALL {
        let other = Candidate { queues: vec!["other".into()], ..worker("a") };
        let mut router = Router::new(vec![other]);
        assert_eq!(routed(&mut router, &job(*strategy), &mut Memory::default(), 1), [None], "{strategy}");
    }
}

#[test]
fn workers_of_one_name_count_as_one() {
    let mut router = Router::new(vec![worker("a"), Candidate { slots: 3, ..worker("a") }, worker("b")]);
    let (job, memory) = (job(Strategy::Round), &mut Memory { round: Some(1), ..Memory::default() });
    assert_eq!(routed(&mut router, &job, memory, 3), names(&["a", "b", "a"]));
    let fit = fit(&router.workers, &router.load, JobId(7));
    assert_eq!(fit.free, 3, "five slots, and two runs are there");
}

#[test]
fn key_is_a_member_or_a_pointer_and_stands_for_the_job() {
    let mut definition = job(Strategy::ConsistentHash);
    definition.input = serde_json::json!({ "customer": { "id": 17 }, "region": "north" });
    let cases = [
        ("region", None, Some("north")),
        ("region", Some(r#"{"region":"south"}"#), Some("south")),
        ("/customer/id", None, Some("17")),
        ("customer", None, Some(r#"{"id":17}"#)),
        ("nothing", None, None),
        ("region", Some(r#"{"region":null}"#), None),
    ];
    for (key, given, wanted) in cases {
        assert_eq!(key_of(&definition, given, key).as_deref(), wanted, "{key} of {given:?}");
    }
    let ring = Ring::new(["a", "b", "c"].into_iter());
    let by_job = routed(&mut three(), &definition, &mut Memory::default(), 1);
    assert_eq!(by_job, names(&[["a", "b", "c"][ring.place("7")]]), "the job's number stands where there is no key");
    definition.routing = Routing { key: Some("region".into()), ..Routing::default() };
    let mut router = three();
    for (given, key) in [(None, "north"), (Some(r#"{"region":"south"}"#), "south"), (Some(r#"{"region":"x"}"#), "x")] {
        let routed = one(&mut router, &run(&definition, 1, given), &mut Memory::default());
        assert_eq!(routed.as_deref(), Some(["a", "b", "c"][ring.place(key)]), "{key}");
    }
}

#[test]
fn ring_answers_as_xxl_job_does() {
    let vectors = include_str!("../../tests/vectors/ring.txt");
    let cases: Vec<&str> = vectors.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(cases.len(), 45);
    for case in cases {
        let [workers, key, at, wanted] = case.split('|').collect::<Vec<_>>()[..] else { panic!("{case}") };
        assert_eq!(position(key).to_string(), at, "{case}");
        let workers: Vec<&str> = workers.split(',').collect();
        assert_eq!(workers[Ring::new(workers.iter().copied()).place(key)], wanted, "{case}");
    }
}

#[test]
fn router_serves_lines_of_workers_that_it_knows() {
    let router = Router::new(vec![worker("w.1")]);
    assert!(
        router.serves("q/@w.1") && !router.serves("q/route") && !router.serves("other/@w.1") && !router.serves("q/@w")
    );
}

proptest! {
    /// With n workers, each has about its share of many keys, and when one goes, only its keys move.
    #[test]
    fn ring_is_even_and_moves_little(count in 2_usize..20, gone in any::<prop::sample::Index>(), salt in any::<u32>()) {
        let workers: Vec<String> = (0..count).map(|number| format!("worker-{salt}-{number}")).collect();
        let gone = gone.index(count);
        let left: Vec<&str> = workers.iter().map(String::as_str).filter(|name| *name != workers[gone]).collect();
        let (before, after) = (Ring::new(workers.iter().map(String::as_str)), Ring::new(left.iter().copied()));
        let mut shares = vec![0_usize; count];
        for key in 0..2_000 {
            let (key, place) = (format!("key-{key}"), before.place(&format!("key-{key}")));
            shares[place] += 1;
            if place != gone {
                prop_assert_eq!(left[after.place(&key)], &workers[place]);
            }
        }
        let share = 2_000 / count;
        prop_assert!(shares.iter().all(|has| *has > share / 3 && *has < share * 3), "{:?}", shares);
    }

    /// Whatever the strategies that count begin with, they end even.
    #[test]
    fn strategies_that_count_are_even(count in 1_usize..9, rounds in 1_u64..20, seed in any::<u64>()) {
        let workers: Vec<Candidate> = (0..count).map(|number| worker(&format!("w{number}"))).collect();
        for strategy in [Strategy::Round, Strategy::LeastFrequentlyUsed, Strategy::LeastRecentlyUsed] {
            let (definition, mut memory) = (job(strategy), Memory::default());
            let mut router = Router::new(workers.clone());
            let mut shares: BTreeMap<String, u64> = BTreeMap::new();
            for number in 0..rounds * count as u64 {
                let picked = one(&mut router, &run(&definition, seed.wrapping_add(number), None), &mut memory);
                *shares.entry(picked.expect("somebody")).or_default() += 1;
            }
            // The first counts of `least_frequently_used` differ by less than the number of workers.
            let slack = if strategy == Strategy::LeastFrequentlyUsed { count as u64 } else { 0 };
            prop_assert!(shares.values().all(|share| share.abs_diff(rounds) <= slack), "{strategy}: {shares:?}");
        }
    }

    #[test]
    fn random_reaches_everyone(seed in any::<u64>()) {
        let definition = job(Strategy::Random);
        let mut router = three();
        let picked: BTreeSet<_> = (0..200)
            .map(|number| one(&mut router, &run(&definition, seed.wrapping_add(number), None), &mut Memory::default()))
            .collect();
        prop_assert_eq!(picked.len(), 3);
    }
}

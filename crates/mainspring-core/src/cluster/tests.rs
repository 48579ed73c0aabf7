//! Each rule of membership alone: one machine, and a cluster that the test makes up.

use super::*;

const ME: Incarnation = Incarnation(100);
const A: Incarnation = Incarnation(1);
const B: Incarnation = Incarnation(200);

/// One machine at a desk, with the rest of the world in the test's hands.
struct Desk {
    machine: Membership,
    now: u64,
    /// How long answers take.
    took: u64,
    /// How far the node's wall clock is ahead.
    skew_ms: i64,
    view: ClusterView,
    asked: Option<Renewal>,
}

fn row(incarnation: Incarnation, counter: u64) -> NodeRow {
    let (name, version, standing) = (incarnation.to_string(), String::new(), Standing::Eligible);
    NodeRow {
        incarnation,
        name,
        address: String::new(),
        drain_asked: false,
        version,
        counter,
        standing,
        clock_offset_ms: Some(0),
        answer_ms: None,
    }
}

impl Desk {
    fn new(settings: Settings, others: &[Incarnation]) -> Self {
        let mut nodes = vec![row(ME, 0)];
        nodes.extend(others.iter().map(|other| row(*other, 10)));
        let view = ClusterView {
            database: "db".into(),
            database_clock_ms: 0,
            nodes,
            shards: Default::default(),
            least_version: None,
        };
        Self { machine: Membership::new(settings, ME, 0), now: 0, took: 4, skew_ms: 0, view, asked: None }
    }

    /// A desk that has joined beside `others`, each with its even part of the shards.
    fn joined(others: &[Incarnation]) -> Self {
        let mut desk = Self::new(Settings::default(), others);
        let owners = [&[ME], others].concat();
        Shard::all().for_each(|shard| desk.give(shard, owners[usize::from(shard.0) % owners.len()]));
        desk.renew();
        desk
    }

    fn give(&mut self, shard: Shard, owner: Incarnation) {
        self.view.shards.insert(shard, Lease { owner, lease_id: 0, epoch: 0 });
    }

    fn give_all(&mut self, owner: Incarnation) {
        Shard::all().for_each(|shard| self.give(shard, owner));
    }

    fn node(&mut self, incarnation: Incarnation) -> &mut NodeRow {
        self.view.nodes.iter_mut().find(|row| row.incarnation == incarnation).expect("a row")
    }

    /// Tells an event and says what followed, but for a renewal, which is kept for later.
    fn tell(&mut self, event: Event) -> Vec<Command> {
        let mut commands = self.machine.handle(self.now, event);
        if let Some(Command::Renew(renewal)) = commands.last() {
            self.asked = Some(*renewal);
            commands.pop();
        }
        commands
    }

    /// Waits for the next renewal and says what it carried.
    fn next_renewal(&mut self) -> Renewal {
        if self.asked.is_none() {
            self.now = self.machine.next_wakeup(self.now).map_or(self.now, |due| self.now.max(due));
            assert_eq!(self.tell(Event::LoopTicked), []);
        }
        self.asked.take().expect("it is due")
    }

    /// The next renewal succeeds.
    fn renew(&mut self) -> Vec<Command> {
        let renewal = self.next_renewal();
        self.answer(renewal)
    }

    fn answer(&mut self, renewal: Renewal) -> Vec<Command> {
        let sent = self.reading();
        if let Some(row) = self.view.nodes.iter_mut().find(|row| row.incarnation == ME) {
            (row.counter, row.standing) = (row.counter + 1, renewal.standing);
        }
        self.view.database_clock_ms = i64::try_from(self.now + self.took / 2).expect("small");
        self.now += self.took;
        self.tell(Event::LoopTicked);
        let (received, view) = (self.reading(), self.view.clone());
        self.tell(Event::Renewed(Renewed { sent, received, view }))
    }

    fn reading(&self) -> Reading {
        Reading { boot_ms: self.now, wall_ms: i64::try_from(self.now).expect("small") + self.skew_ms }
    }

    /// The next renewal fails.
    fn fail(&mut self) -> Vec<Command> {
        self.next_renewal();
        self.now += 2_000;
        self.tell(Event::LoopTicked);
        self.tell(Event::RenewalFailed)
    }

    /// The deadline of the next renewal passes.
    fn overdue(&mut self) -> Vec<Command> {
        self.next_renewal();
        self.now += 2_000;
        self.tell(Event::LoopTicked);
        self.tell(Event::Overdue)
    }

    /// The next renewal is answered, half a second after its deadline.
    fn hear_late(&mut self) -> Vec<Command> {
        assert_eq!(self.overdue(), []);
        self.now += 500;
        self.tell(Event::LoopTicked);
        self.tell(Event::Late)
    }

    /// The others renew too.
    fn others_renew(&mut self) {
        self.view.nodes.iter_mut().filter(|row| row.incarnation != ME).for_each(|row| row.counter += 1);
    }

    /// Renews with all others until a command comes that `wanted` wants, and says when.
    fn until(&mut self, limit_ms: u64, others: bool, wanted: impl Fn(&Command) -> bool) -> Option<u64> {
        let limit = self.now + limit_ms;
        while self.now < limit {
            if others {
                self.others_renew();
            }
            if self.renew().iter().any(&wanted) {
                return Some(self.now);
            }
        }
        None
    }
}

fn burial_of(dead: Incarnation) -> impl Fn(&Command) -> bool {
    move |command| matches!(command, Command::Bury(of, _) if *of == dead)
}

fn is_change(command: &Command) -> bool {
    matches!(command, Command::Acquire(_) | Command::Release(_))
}

#[test]
fn trust_ends_a_margin_before_the_lease_and_counts_from_sending() {
    let mut desk = Desk::new(Settings::default(), &[]);
    assert!(!desk.machine.trusts(0), "not joined yet");
    desk.took = 1_900;
    desk.renew();
    assert!(desk.machine.trusts(3_999));
    assert!(!desk.machine.trusts(4_000));
}

#[test]
fn a_node_is_buried_when_its_counter_stood_still_for_a_lease() {
    for took in [0, 4, 500, 1_900] {
        let mut desk = Desk::new(Settings::default(), &[A]);
        desk.took = took;
        desk.renew();
        let seen = desk.now;
        let found = desk.until(9_000, false, burial_of(A)).expect("A is dead");
        let asked = found - took;
        assert!(asked - seen >= 5_000, "{took}: asked {} ms after the first sight", asked - seen);
        assert!(asked - seen <= 5_100 + took, "{took}: found late, after {}", asked - seen);
    }
}

#[test]
fn a_burial_names_the_counter_and_is_asked_for_once_until_answered() {
    let mut desk = Desk::new(Settings::default(), &[A]);
    desk.renew();
    desk.until(9_000, false, |command| *command == Command::Bury(A, 10)).expect("A is dead");
    assert_eq!(desk.until(3_000, false, burial_of(A)), None);
    assert_eq!(desk.tell(Event::Buried(A))[..1], [Command::Hint]);
    assert!(desk.until(300, false, burial_of(A)).is_some(), "it failed: again");
}

#[test]
fn a_node_that_renews_is_never_buried_however_long_ago_it_was_first_seen() {
    let mut desk = Desk::joined(&[A, B]);
    assert_eq!(desk.until(60_000, true, |command| matches!(command, Command::Bury(..))), None);
    let mut desk = Desk::new(Settings::default(), &[A]);
    desk.renew();
    for _ in 0..4 {
        assert_eq!(desk.until(4_000, false, burial_of(A)), None);
        desk.others_renew();
        desk.renew();
    }
}

#[test]
fn time_without_successful_renewals_makes_nobody_look_dead() {
    let mut desk = Desk::joined(&[A]);
    desk.renew();
    (0..30).for_each(|_| assert_eq!(desk.fail(), []));
    let healed = desk.now;
    assert!(desk.until(9_000, false, burial_of(A)).expect("A is dead now") >= healed + 4_000);

    let mut desk = Desk::joined(&[A]);
    desk.renew();
    desk.now += 60_000;
    let woken = desk.now;
    assert!(desk.until(9_000, false, burial_of(A)).expect("A is dead now") >= woken + 2_000, "of a pause 2 s count");
}

#[test]
fn an_owner_resumes_after_an_outage_if_its_row_is_still_there() {
    let mut desk = Desk::joined(&[A]);
    let owned = *desk.machine.owned();
    assert_eq!(owned.len(), 128);
    (0..30).for_each(|_| assert_eq!(desk.fail(), []));
    assert!(!desk.machine.trusts(desk.now));
    assert_eq!(*desk.machine.owned(), owned);
    assert_eq!(desk.renew(), [Command::Hint], "its second renewal");
    assert!(desk.machine.trusts(desk.now));
    assert_eq!(*desk.machine.owned(), owned);
}

#[test]
fn what_ends_an_incarnation() {
    type Spoil = fn(&mut Desk) -> Vec<Command>;
    let cases: [(Reason, Spoil); 6] = [
        (Reason::Buried, |desk| {
            desk.view.nodes.retain(|row| row.incarnation != ME);
            desk.renew()
        }),
        (Reason::DatabaseChanged, |desk| {
            desk.view.database = "other".into();
            desk.renew()
        }),
        (Reason::DatabaseChanged, |desk| {
            desk.node(ME).counter = 0;
            desk.renew()
        }),
        (Reason::ShardLost, |desk| {
            desk.give_all(A);
            desk.renew()
        }),
        (Reason::ShardLost, |desk| {
            desk.view.shards.clear();
            desk.renew()
        }),
        (Reason::OutcomeUnknown, |desk| desk.tell(Event::OutcomeUnknown)),
    ];
    for (reason, spoil) in cases {
        let mut desk = Desk::joined(&[A]);
        let commands = spoil(&mut desk);
        assert_eq!(commands, [Command::Abandon(reason, desk.now)]);
        assert!(desk.machine.owned().is_empty() && !desk.machine.trusts(desk.now), "{reason:?}");
        assert_eq!(desk.machine.next_wakeup(desk.now), None);
        assert_eq!(desk.tell(Event::Woke), []);
        assert_eq!(desk.machine.status(desk.now).abandoned, Some(reason));
    }
}

#[test]
fn a_join_is_sent_once_and_its_failure_ends_the_incarnation() {
    let mut desk = Desk::new(Settings::default(), &[]);
    assert!(desk.next_renewal().join);
    desk.now += 5;
    match desk.tell(Event::RenewalFailed)[..] {
        [Command::Abandon(Reason::JoinFailed, at)] => assert!((900..=1_000).contains(&at), "not at once: {at}"),
        ref other => panic!("{other:?}"),
    }
    let mut desk = Desk::new(Settings::default(), &[]);
    assert_eq!(desk.overdue(), [Command::Abandon(Reason::JoinFailed, desk.machine.renewal_due_ms)]);
    let mut desk = Desk::joined(&[]);
    assert!(!desk.next_renewal().join);
}

#[test]
fn a_renewal_that_is_overdue_is_waited_for_before_another_is_sent() {
    type End = fn(&mut Desk) -> Vec<Command>;
    let ends: [End; 2] = [|desk| desk.tell(Event::Late), |desk| desk.tell(Event::RenewalFailed)];
    for end in ends {
        let mut desk = Desk::joined(&[A]);
        assert_eq!(desk.overdue(), []);
        desk.now += 900;
        assert_eq!((desk.tell(Event::LoopTicked), desk.machine.next_wakeup(desk.now)), (vec![], None));
        assert_eq!(desk.asked, None);
        assert_eq!(end(&mut desk), []);
        assert!(desk.asked.is_some(), "the next is long due");
    }
}

#[test]
fn a_node_that_hears_nothing_but_late_answers_for_two_leases_takes_leave_for_one() {
    let mut desk = Desk::joined(&[A]);
    assert_eq!(desk.hear_late(), []);
    let first = desk.now;
    while desk.now + 2_500 < first + 10_000 {
        assert_eq!(desk.hear_late(), []);
        assert_eq!(desk.machine.owned().len(), 128);
    }
    assert_eq!(desk.hear_late(), [Command::Abandon(Reason::TooSlow, desk.now + 5_000)]);
    assert!((10_000..=12_500).contains(&(desk.now - first)), "after {}", desk.now - first);
    assert!(desk.machine.owned().is_empty() && !desk.machine.trusts(desk.now));
}

#[test]
fn a_renewal_that_fails_between_late_answers_puts_nothing_off() {
    let mut desk = Desk::joined(&[A]);
    assert_eq!(desk.hear_late(), []);
    let first = desk.now;
    let left = loop {
        assert_eq!(desk.fail(), []);
        let commands = desk.hear_late();
        if !commands.is_empty() || desk.now > first + 60_000 {
            break commands;
        }
    };
    assert_eq!(left, [Command::Abandon(Reason::TooSlow, desk.now + 5_000)]);
    assert!((10_000..=15_000).contains(&(desk.now - first)), "after {}", desk.now - first);
}

#[test]
fn neither_an_outage_between_late_answers_nor_one_good_answer_among_them_costs_the_shards() {
    let good: fn(&mut Desk) = |desk| _ = desk.renew();
    let outage: fn(&mut Desk) = |desk| (0..30).for_each(|_| assert_eq!(desk.fail(), []));
    for between in [good, outage] {
        let mut desk = Desk::joined(&[A]);
        for _ in 0..5 {
            (0..4).for_each(|_| assert_eq!(desk.hear_late(), []));
            between(&mut desk);
        }
        assert!(!desk.renew().iter().any(|command| matches!(command, Command::Abandon(..))));
        assert!(desk.machine.owned().len() == 128 && desk.machine.trusts(desk.now));
    }
}

#[test]
fn the_one_process_of_a_file_buries_the_others_at_once() {
    let mut desk = Desk::new(Settings { exclusive: true, ..Settings::default() }, &[A]);
    desk.give_all(A);
    assert!(desk.renew().contains(&Command::Bury(A, 10)));
}

#[test]
fn shards_of_an_owner_without_a_row_are_freed_like_those_of_a_dead_one() {
    let mut desk = Desk::joined(&[]);
    let mut desk_with_orphan = Desk::joined(&[]);
    desk_with_orphan.give_all(ME);
    desk.view.shards.clear();
    desk.give_all(B);
    desk.machine = Membership::new(Settings::default(), ME, desk.now);
    assert!(desk.until(9_000, true, |command| *command == Command::Bury(B, 0)).is_some());
    assert_eq!(desk_with_orphan.until(9_000, true, |command| matches!(command, Command::Bury(..))), None);
}

#[test]
fn a_node_whose_loop_hangs_does_not_renew() {
    let mut desk = Desk::joined(&[]);
    desk.now += 2_001;
    assert_eq!(desk.tell(Event::Woke), []);
    assert_eq!(desk.machine.next_wakeup(desk.now), None, "nothing to wait for but the loop");
    assert_eq!(desk.asked, None);
    desk.tell(Event::LoopTicked);
    assert!(desk.asked.is_some());
}

#[test]
fn renewals_come_every_second_less_some_jitter_that_differs() {
    let waits = [ME, A, B].map(|me| {
        let mut machine = Membership::new(Settings::default(), me, 0);
        machine.handle(0, Event::Woke);
        machine.handle(3, Event::RenewalFailed);
        machine.renewal_due_ms
    });
    assert!(waits.iter().all(|wait| (901..=1_000).contains(wait)), "{waits:?}");
    assert!(waits[0] != waits[1] && waits[1] != waits[2], "{waits:?}");
}

#[test]
fn a_hint_makes_the_next_renewal_due_but_a_flood_does_not_make_a_flood() {
    let mut desk = Desk::joined(&[A]);
    (0..2).for_each(|_| _ = desk.renew());
    let asked = desk.now - desk.took;
    desk.tell(Event::Hinted);
    assert_eq!(desk.machine.next_wakeup(desk.now), Some(asked + 100));
    let renewal = desk.next_renewal();
    desk.tell(Event::Hinted);
    desk.answer(renewal);
    assert_eq!(desk.machine.next_wakeup(desk.now), Some(asked + 200), "a hint during a renewal counts for the next");
    desk.next_renewal();
    desk.now += 1_000;
    desk.tell(Event::Hinted);
    assert_eq!(desk.asked, None, "one renewal at a time");
}

#[test]
fn others_are_told_when_a_node_comes_and_when_it_counts() {
    let mut desk = Desk::new(Settings::default(), &[A]);
    desk.give_all(A);
    assert_eq!(desk.renew(), [Command::Hint]);
    assert!(desk.machine.next_wakeup(desk.now) <= Some(100));
    assert_eq!(desk.renew(), [Command::Hint]);
    desk.others_renew();
    assert_eq!(desk.renew(), []);
}

#[test]
fn heirs_deal_free_shards_evenly_and_without_collision() {
    // Counts before of ME, A and B; free is the rest. Counts after.
    let cases = [
        ([0, 0, 0], [85, 85, 85], 86),
        ([86, 85, 0], [86, 85, 85], 85),
        ([100, 50, 6], [100, 78, 78], 78),
        ([200, 0, 0], [200, 28, 28], 28),
        ([10, 20, 30], [85, 85, 85], 86),
    ];
    for (before, least, most) in cases {
        let nodes = [ME, A, B];
        let named = nodes.iter().zip(before).flat_map(|(node, count)| std::iter::repeat_n(*node, count));
        let mut owners: std::collections::BTreeMap<Shard, Incarnation> = Shard::all().zip(named).collect();
        let plans = nodes.map(|node| balance::plan(node, &nodes, &owners));
        let sizes = plans.map(|plan| plan.take.len());
        assert_eq!(sizes.iter().sum::<usize>(), 256 - before.iter().sum::<usize>(), "no shard is dealt twice");
        for ((node, plan), least) in nodes.iter().zip(plans).zip(least) {
            plan.take.iter().for_each(|shard| assert!(owners.insert(shard, *node).is_none()));
            let count = owners.values().filter(|owner| *owner == node).count();
            assert!((least..=least.max(most)).contains(&count), "{before:?}: {count}");
            assert!(plan.take.len() <= 86);
        }
    }
}

#[test]
fn the_fullest_give_to_the_emptiest_until_all_are_within_one() {
    let cases = [
        ([86, 85, 85], [0, 0, 0]),
        ([87, 85, 84], [1, 0, 0]),
        ([256, 0, 0], [170, 0, 0]),
        ([128, 128, 0], [42, 43, 0]),
        ([0, 246, 10], [0, 161, 0]),
    ];
    for (counts, gives) in cases {
        let nodes = [ME, A, B];
        let named = nodes.iter().zip(counts).flat_map(|(node, count)| std::iter::repeat_n(*node, count));
        let owners: std::collections::BTreeMap<Shard, Incarnation> = Shard::all().zip(named).collect();
        let given = nodes.map(|node| balance::plan(node, &nodes, &owners).give.len());
        assert!(given.iter().zip(gives).all(|(given, give)| given.abs_diff(give) <= 1), "{counts:?}: {given:?}");
    }
    let owners = Shard::all().map(|shard| (shard, if shard.0 < 200 { ME } else { B })).collect();
    assert_eq!(balance::plan(ME, &[ME, A], &owners), balance::Plan::default(), "what B holds is about to be dealt");
}

#[test]
fn shards_move_for_balance_only_after_the_nodes_have_dwelt() {
    let mut desk = Desk::joined(&[]);
    desk.view.nodes.push(row(A, 1));
    desk.renew();
    desk.others_renew();
    desk.renew();
    let since = desk.now;
    let moved = desk.until(9_000, true, is_change).expect("A has none");
    assert!((3_000..4_200).contains(&(moved - since)), "{}", moved - since);
    assert_eq!((desk.machine.owned().len(), desk.machine.status(desk.now).releasing.len()), (128, 128));

    let mut desk = Desk::joined(&[A, B]);
    assert_eq!(desk.until(9_000, true, is_change), None, "86, 85 and 85 are even");
}

#[test]
fn neither_ghosts_nor_the_silent_inherit() {
    let free_half = |desk: &mut Desk| desk.view.shards.retain(|shard, _| shard.0 % 2 == 0);
    let taken = |commands: &[Command]| match commands.last() {
        Some(Command::Acquire(change)) => change.shards.len(),
        other => panic!("{other:?}"),
    };
    let mut desk = Desk::joined(&[]);
    desk.view.nodes.push(row(A, 1));
    desk.renew();
    free_half(&mut desk);
    desk.machine.owned = desk.view.owned_by(ME);
    assert_eq!(taken(&desk.renew()), 128, "A has renewed once");

    let mut desk = Desk::joined(&[A, B]);
    let mut heirs = Vec::new();
    while desk.now < 4_000 {
        desk.node(A).counter += 1;
        desk.renew();
        heirs.push((desk.now, desk.machine.heirs.clone()));
    }
    let inherits = |now: u64| if now < 2_600 { vec![A, ME, B] } else { vec![A, ME] };
    assert!(heirs.iter().all(|(now, heirs)| *heirs == inherits(*now)), "B was silent for half a lease: {heirs:?}");
    desk.others_renew();
    desk.renew();
    assert_eq!(desk.machine.heirs, [A, ME, B]);
}

#[test]
fn a_draining_node_releases_everything_at_once_and_tells_the_others() {
    let mut desk = Desk::joined(&[A]);
    let held = *desk.machine.owned();
    let commands = desk.tell(Event::Drain);
    assert_eq!(commands, [Command::Release(Change { number: 1, shards: held })]);
    assert!(desk.machine.owned().is_empty() && !desk.machine.is_drained());
    desk.view.shards.retain(|_, lease| lease.owner != ME);
    assert_eq!(desk.tell(Event::Released(held))[..1], [Command::Hint]);
    assert!(desk.machine.is_drained());
    let renewal = desk.next_renewal();
    assert!(renewal.standing == Standing::Draining && desk.now <= 100, "at {}", desk.now);
    assert!(desk.answer(renewal).contains(&Command::Hint), "now they know not to deal it any");
    assert_eq!(desk.until(5_000, true, is_change), None);
    desk.tell(Event::Undrain);
    assert!(desk.until(5_000, true, is_change).is_some());
}

#[test]
fn shards_of_a_release_without_outcome_are_not_ours_until_a_release_is_answered() {
    let mut desk = Desk::joined(&[A]);
    let held = *desk.machine.owned();
    desk.tell(Event::Drain);
    desk.tell(Event::Undrain);
    assert_eq!(desk.tell(Event::Released(ShardSet::EMPTY)), []);
    let commands = desk.renew();
    assert!(commands.contains(&Command::Release(Change { number: 2, shards: held })), "{commands:?}");
    assert!(desk.machine.owned().is_empty());
    desk.view.shards.retain(|_, lease| lease.owner != ME);
    desk.tell(Event::Released(held));
    assert!(desk.renew().contains(&Command::Acquire(Change { number: 3, shards: held })));
}

#[test]
fn an_acquisition_without_outcome_shows_in_the_next_view() {
    let mut desk = Desk::new(Settings::default(), &[]);
    assert_eq!(desk.renew().last(), Some(&Command::Acquire(Change { number: 1, shards: ShardSet::ALL })));
    desk.give_all(ME);
    desk.tell(Event::Acquired(ShardSet::EMPTY));
    assert!(desk.machine.owned().is_empty());
    desk.renew();
    assert_eq!(*desk.machine.owned(), ShardSet::ALL);
}

#[test]
fn a_view_asked_for_before_a_change_says_nothing_about_it() {
    let mut desk = Desk::new(Settings::default(), &[]);
    desk.renew();
    let renewal = desk.next_renewal();
    let old = desk.view.clone();
    let sent = desk.reading();
    desk.tell(Event::Acquired(ShardSet::ALL));
    desk.view = old;
    desk.node(ME).counter += 1;
    let (received, view) = (desk.reading(), desk.view.clone());
    let commands = desk.tell(Event::Renewed(Renewed { sent, received, view }));
    assert!(!commands.iter().any(|command| is_change(command) || matches!(command, Command::Abandon(..))));
    assert_eq!(*desk.machine.owned(), ShardSet::ALL, "{renewal:?}");
}

/// (skew of ME, offsets of A and B, how long the answer took) and what follows: (warned, gave its shards up).
#[test]
fn a_wrong_clock_is_warned_of_and_costs_the_shards_if_most_agree() {
    let cases = [
        (499, [0, 0], 4, (false, false), "within 500 ms"),
        (-700, [0, 0], 4, (true, false), "half a second behind"),
        (4_900, [0, 0], 4, (true, false), "below 5 s"),
        (5_200, [0, 0], 4, (true, true), "alone with it"),
        (-3_600_000, [0, 0], 4, (true, true), "an hour behind"),
        (5_200, [5_100, 0], 4, (true, false), "half of the peers agree with it"),
        (5_200, [5_100, 5_300], 4, (true, false), "the database is wrong"),
        (6_000, [-6_100, -6_200], 4, (true, false), "all are wrong: the best stays"),
        (6_000, [-5_900, -6_200], 4, (true, true), "all are wrong: A is better"),
        (900, [0, 0], 1_000, (false, false), "a slow answer raises no alarm"),
        (5_800, [0, 0], 1_900, (true, false), "a slow answer costs no shards"),
    ];
    for (skew_ms, [a, b], took, (warned, left), why) in cases {
        let mut desk = Desk::joined(&[A, B]);
        (desk.skew_ms, desk.took) = (skew_ms, took);
        (desk.node(A).clock_offset_ms, desk.node(B).clock_offset_ms) = (Some(a), Some(b));
        let commands = desk.renew();
        assert_eq!(commands.contains(&Command::WarnClock(skew_ms)), warned, "{why}: {commands:?}");
        assert_eq!(commands.iter().any(is_change), left, "{why}: {commands:?}");
        assert_eq!(desk.machine.standing() == Standing::ClockOff, left, "{why}");
        assert_eq!(desk.machine.owned().is_empty(), left, "{why}");
    }
}

#[test]
fn the_last_eligible_node_keeps_its_shards_however_wrong_its_clock() {
    let mut desk = Desk::joined(&[A]);
    desk.node(A).standing = Standing::Draining;
    desk.skew_ms = 60_000;
    assert!(desk.renew().contains(&Command::WarnClock(60_000)));
    assert_eq!(desk.machine.standing(), Standing::Eligible);
    desk.node(A).standing = Standing::Eligible;
    assert!(desk.renew().iter().any(is_change));
    desk.node(A).standing = Standing::Draining;
    desk.renew();
    assert_eq!(desk.machine.standing(), Standing::Eligible, "last again");
}

#[test]
fn a_clock_alarm_ends_when_the_clock_is_surely_right() {
    let mut desk = Desk::joined(&[A]);
    desk.skew_ms = 6_000;
    desk.renew();
    assert_eq!(desk.machine.standing(), Standing::ClockOff);
    (desk.skew_ms, desk.took) = (100, 1_000);
    assert!(!desk.renew().contains(&Command::ClearClock), "a slow answer ends none");
    desk.took = 4;
    assert!(desk.renew().contains(&Command::ClearClock));
    assert_eq!(desk.machine.standing(), Standing::Eligible);
    assert_eq!(desk.next_renewal().clock_offset_ms, Some(100));
}

#[test]
fn a_node_comes_back_also_when_the_others_turn_out_to_agree_with_it() {
    let mut desk = Desk::joined(&[A]);
    desk.skew_ms = 6_000;
    desk.renew();
    assert_eq!(desk.machine.standing(), Standing::ClockOff);
    desk.node(A).clock_offset_ms = Some(5_000);
    desk.renew();
    assert_eq!(desk.machine.standing(), Standing::ClockOff, "still a second apart");
    desk.node(A).clock_offset_ms = Some(5_900);
    desk.renew();
    assert_eq!(desk.machine.standing(), Standing::Eligible, "the database is wrong");
}

#[test]
fn a_node_that_is_far_leaves_its_shards_to_one_that_is_much_nearer() {
    type Change = fn(&mut NodeRow);
    let cases: [(u64, Change, bool, &str); 7] = [
        (700, |a| a.answer_ms = Some(3), true, "A is near"),
        (700, |a| a.answer_ms = Some(175), true, "A is four times nearer"),
        (700, |a| a.answer_ms = Some(176), false, "the database is slow for all"),
        (499, |a| a.answer_ms = Some(3), false, "that is not far"),
        (700, |_| {}, false, "A does not know yet"),
        (700, |a| (a.answer_ms, a.standing) = (Some(3), Standing::Draining), false, "A drains"),
        (700, |a| (a.answer_ms, a.clock_offset_ms) = (Some(3), Some(501)), false, "A's clock is off"),
    ];
    for (took, change, left, why) in cases {
        let mut desk = Desk::joined(&[A]);
        change(desk.node(A));
        desk.took = took;
        let mut commands = Vec::new();
        for _ in 0..6 {
            assert_eq!(desk.machine.standing(), Standing::Eligible, "{why}");
            desk.others_renew();
            commands = desk.renew();
        }
        assert_eq!(desk.machine.standing() == Standing::Far, left, "{why}");
        assert_eq!(commands.iter().any(is_change), left, "{why}: {commands:?}");
        assert_eq!(desk.machine.owned().is_empty(), left, "{why}");
    }
}

#[test]
fn a_node_that_was_far_comes_back_after_three_quick_answers_or_when_nobody_is_nearer() {
    let far = || {
        let mut desk = Desk::joined(&[A]);
        (desk.node(A).answer_ms, desk.took) = (Some(3), 700);
        for _ in 0..6 {
            desk.others_renew();
            desk.renew();
        }
        assert_eq!(desk.machine.standing(), Standing::Far);
        desk
    };
    let mut desk = far();
    for (took, standing) in
        [(20, Standing::Far), (250, Standing::Far), (20, Standing::Far), (249, Standing::Far), (20, Standing::Eligible)]
    {
        desk.took = took;
        desk.others_renew();
        desk.renew();
        assert_eq!(desk.machine.standing(), standing, "{took}");
    }
    let mut desk = far();
    desk.node(A).answer_ms = Some(600);
    desk.others_renew();
    desk.renew();
    assert_eq!(desk.machine.standing(), Standing::Eligible);
    assert_eq!(desk.next_renewal().answer_ms, None, "new answers say where it is with its shards");
}

/// (skew of ME, offsets of A and B, how long the answer took, how far ME's clock is set afterwards) and the error that is left.
#[test]
fn what_a_node_is_asked_to_do_is_done_at_the_right_time() {
    let hour = 3_600_000;
    let cases = [
        (400, [0, 0], 4, 0, 400, "within 500 ms its own clock is good enough"),
        (hour, [0, 0], 4, 0, 0, "an hour ahead"),
        (-hour, [0, 200], 4, 0, 0, "an hour behind"),
        (900, [0, 0], 1_000, 0, 900, "a slow answer proves nothing"),
        (-hour, [0, 0], 1_900, 0, 0, "not even that slow"),
        (0, [0, 0], 4, hour, 0, "set ahead since they were compared"),
        (hour, [0, 0], 4, -hour, 0, "set right since they were compared"),
        (0, [-524, 0], 4, hour, 0, "and one of the others is a little off"),
        (hour, [-524, 0], 4, 0, 0, "an hour ahead of everybody, one of whom is a little off"),
        (hour, [hour, hour], 4, 0, hour, "the others fire by such clocks too"),
        (hour, [hour, 0], 4, 0, hour, "nobody knows who is right"),
    ];
    for (skew_ms, [a, b], took, set_ms, left_ms, why) in cases {
        let mut desk = Desk::joined(&[A, B]);
        (desk.skew_ms, desk.took) = (skew_ms, took);
        (desk.node(A).clock_offset_ms, desk.node(B).clock_offset_ms) = (Some(a), Some(b));
        desk.renew();
        desk.now += 700;
        desk.skew_ms += set_ms;
        let (status, reading) = (desk.machine.status(desk.now), desk.reading());
        let stamped = status.database_clock.map_or(reading.wall_ms, |clock| clock.correct(reading, 500));
        let error_ms = stamped - i64::try_from(desk.now).expect("small");
        assert_eq!(error_ms, left_ms, "{why}");
    }
    let mut alone = Desk::joined(&[]);
    alone.skew_ms = hour;
    alone.renew();
    assert_eq!(alone.machine.status(alone.now).database_clock, None, "its own clock is the one that fires");
}

#[test]
fn nothing_is_learned_from_a_request_during_which_the_clock_was_set() {
    let (sent, received) = (Reading { boot_ms: 0, wall_ms: 0 }, Reading { boot_ms: 10, wall_ms: 7_200_010 });
    assert_eq!(ClockOffset::measure(sent, received, 5), None);
    let received = Reading { boot_ms: 10, wall_ms: 10 };
    assert_eq!(ClockOffset::measure(sent, received, -3_000), Some(ClockOffset { ms: 3_005, error_ms: 55 }));
    assert_eq!(ClockOffset::measure(sent, received, i64::MIN), None);
}

#[test]
fn gap_of_a_shard_is_counted_from_the_last_sign_of_an_owner() {
    let mut desk = Desk::new(Settings::default(), &[A]);
    desk.give(Shard(1), A);
    desk.give(Shard(2), ME);
    desk.others_renew();
    desk.renew();
    desk.others_renew();
    desk.renew();
    let heard = desk.now;
    desk.renew();
    desk.renew();
    assert!(desk.now >= heard + 1_500);
    let gained = [Shard(1), Shard(3)].into_iter().collect();
    assert_eq!(desk.machine.gaps(heard + 6_000, gained), [6_000], "nobody has had the other one");
    assert_eq!(desk.machine.gaps(desk.now + 10, [Shard(2)].into_iter().collect()), [10]);
}

#[test]
fn status_shows_all_nodes() {
    let mut desk = Desk::joined(&[A]);
    desk.renew();
    desk.renew();
    let status = desk.machine.status(desk.now);
    assert!(status.trusted && status.nodes.len() == 2 && status.owned.len() == 128);
    assert_eq!(status.nodes.iter().map(|node| node.shards).collect::<Vec<_>>(), [128, 128]);
    assert_eq!(status.nodes[0].silent_ms, 0);
    assert!(status.nodes[1].silent_ms > 900, "{status:?}");
}

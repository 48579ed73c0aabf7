//! What every store has to do, as short histories that run against any of them.
//!
//! [`conformance_suite!`](crate::conformance_suite) makes one test of each history, so that a failure names it. A
//! history gets an empty store of its own and asserts what can be observed through the [`crate::Store`] trait.
//!
//! ```ignore
//! mod memory {
//!     mainspring_store::conformance_suite!(async || std::sync::Arc::new(mainspring_store::MemoryStore::new()) as _);
//! }
//! ```

pub mod completions;
pub mod fires;
pub mod gates;
pub mod kit;

/// Makes a test of each history. The argument is an async closure or function that makes an empty store.
///
/// The calling crate needs tokio's macros. Two suites in one crate go into two modules.
#[macro_export]
macro_rules! conformance_suite {
    ($make:expr) => {
        $crate::conformance_tests! { $make;
            fires:
                fire_queues_a_run_and_advances_its_trigger,
                fire_with_a_slot_kept_starts_a_running_run,
                fire_of_something_changed_is_stale_and_leaves_no_trace,
                stale_entry_does_not_stop_the_others,
                late_instants_fire_one_by_one_in_one_entry,
                repeated_batch_gets_the_same_answer_and_leaves_one_record,
                run_that_is_unfinished_is_known,
                run_that_is_in_history_is_known,
                fired_through_never_goes_back,
                trigger_that_is_complete_does_not_fire_again,
                missed_instants_are_recorded_with_the_fire,
                awaited_run_is_kept_only_if_it_was_placed,
                empty_batch_changes_nothing;
            gates:
                skip_suppresses_fires_at_the_limit,
                hold_blocks_fires_at_the_limit,
                queue_one_holds_one_and_suppresses_the_next,
                limit_above_one_counts_each_run,
                limit_reached_within_a_batch_is_seen_by_later_entries,
                held_run_is_promoted_when_the_slot_is_freed,
                held_runs_are_promoted_in_the_order_of_claims,
                retry_keeps_the_slot,
                limit_that_is_set_later_counts_unfinished_runs,
                limit_that_is_lifted_promotes_held_runs;
            completions:
                success_moves_a_run_to_history,
                every_outcome_has_its_state_and_reason,
                second_verdict_is_refused,
                verdict_of_another_attempt_or_incarnation_is_refused,
                retry_waits_until_its_instant_and_counts_attempts,
                details_of_an_attempt_are_kept,
                delay_trigger_is_armed_when_its_run_ends,
                delay_trigger_that_awaits_another_run_stays;
        }
    };
}

/// Expands a list of histories to tests. See [`conformance_suite!`](crate::conformance_suite).
#[doc(hidden)]
#[macro_export]
macro_rules! conformance_tests {
    ($make:expr; $($area:ident: $($history:ident),+;)+) => {
        $($(
            #[tokio::test]
            async fn $history() {
                $crate::conformance::$area::$history(($make)().await).await;
            }
        )+)+
    };
}

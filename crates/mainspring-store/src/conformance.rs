//! What every store has to do, as short histories that run against any of them.
//!
//! [`conformance_suite!`](crate::conformance_suite) makes one test of each history, so that a failure names it. A
//! history gets an empty store of its own and asserts what can be observed through the [`crate::Store`] trait.
//! [`differential`] compares a store with [`crate::MemoryStore`] over random requests, for what no history foresees.
//!
//! ```text
//! mod memory {
//!     use std::sync::Arc;
//!
//!     use mainspring_store::{MemoryStore, Store, conformance, conformance_suite};
//!
//!     async fn empty() -> Arc<dyn Store> {
//!         Arc::new(MemoryStore::new())
//!     }
//!
//!     conformance_suite!(empty);
//!
//!     #[test]
//!     fn answers_like_the_reference() {
//!         conformance::differential(64, empty);
//!     }
//! }
//! ```

pub mod after;
pub mod awaits;
pub mod backfills;
pub mod calls;
pub mod cancels;
pub mod completions;
pub mod corrections;
pub mod data;
pub mod deadlines;
pub mod deletions;
mod differential;
pub mod documents;
pub mod expiring;
pub mod fires;
pub mod flows;
pub mod following;
pub mod gates;
pub mod inboxes;
pub mod jobs;
pub mod keeping;
pub mod keys;
pub mod kit;
pub mod labels;
pub mod lanes;
pub mod lists;
pub mod nodes;
pub mod past;
pub mod queue;
pub mod queues;
pub mod reads;
pub mod reanchor;
pub mod replacing;
pub mod reruns;
pub mod routing;
pub mod webhooks;
pub mod window;
pub mod workers;
pub mod workflow_races;
pub mod workflow_sets;
pub mod workflows;

pub use differential::differential;

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
                batch_that_comes_again_records_nothing_that_it_left_out,
                run_that_is_unfinished_is_known,
                run_that_was_asked_for_is_known_to_its_fire,
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
                limit_that_is_lifted_promotes_held_runs,
                limit_that_is_set_lets_go_when_a_run_from_before_ends,
                limit_that_is_set_promotes_when_a_run_from_before_ends,
                limit_that_is_raised_holds_for_runs_from_before,
                limit_that_is_lowered_holds_for_runs_from_before,
                limit_that_is_lifted_is_forgotten_by_runs_from_before,
                run_of_an_earlier_version_meets_the_present_limit,
                limit_of_a_deleted_job_is_forgotten;
            completions:
                success_moves_a_run_to_history,
                every_outcome_has_its_state_and_reason,
                run_whose_start_is_vetoed_is_skipped_and_gives_up_its_slot,
                second_verdict_is_refused,
                verdict_of_another_attempt_or_incarnation_is_refused,
                retry_waits_until_its_instant_and_counts_attempts,
                attempt_is_claimed_after_the_one_before_has_ended,
                details_of_an_attempt_are_kept,
                delay_trigger_is_armed_when_its_run_ends,
                delay_trigger_without_a_next_instant_is_complete,
                delay_trigger_that_awaits_another_run_stays;
            queue:
                claims_take_the_highest_priority_then_the_oldest_due,
                claim_says_all_that_a_worker_needs,
                claim_that_is_repeated_answers_what_it_took,
                claim_that_took_nothing_may_take_something_when_repeated,
                claimed_run_is_completed_like_one_claimed_at_birth,
                releases_are_bounded_and_say_when_the_next_is_due,
                restart_takes_over_running_runs,
                adopted_run_can_be_tried_again,
                asked_run_waits_in_its_queue_with_its_input,
                run_that_is_asked_for_twice_is_known,
                run_of_what_is_not_there_cannot_be_asked_for,
                asked_run_takes_a_slot_or_waits_for_one;
            queues:
                nothing_leaves_a_paused_queue,
                runs_that_wait_move_to_another_queue_and_claimed_ones_stay,
                claim_tells_in_which_queue_a_run_has_waited,
                what_waits_in_a_queue_is_told_line_by_line,
                run_that_waits_goes_first_or_last_in_its_queue,
                limit_of_a_queue_holds_over_all_process_starts,
                runs_that_count_in_a_limit_are_named,
                runs_that_run_already_count_in_a_new_limit,
                rate_of_a_queue_holds_over_all_claims,
                another_rate_holds_from_its_setting_on,
                rule_of_one_queue_leaves_the_order_of_the_others_alone,
                queue_is_set_as_it_was_seen,
                runs_that_wait_are_counted_queue_by_queue,
                fire_of_a_full_queue_is_recorded_without_a_run,
                low_priority_does_not_starve,
                backlog_of_one_namespace_is_in_the_way_of_no_other,
                claims_of_one_run_reach_every_namespace,
                rule_of_a_queue_holds_over_all_namespaces;
            lanes:
                claims_for_short_jobs_pass_by_what_waits_beside_them,
                of_the_lines_of_a_namespace_the_oldest_run_goes_first,
                namespace_with_runs_beside_its_short_ones_gets_no_larger_share,
                rule_of_a_queue_holds_for_what_waits_beside_it,
                waiting_runs_of_a_job_that_is_short_now_are_moved_in_pages,
                runs_of_a_job_that_is_slow_now_are_moved_whatever_they_do,
                what_is_known_of_jobs_is_read_from_the_last_change_on,
                what_is_noted_of_jobs_after_their_deletion_is_purged_in_slices;
            labels:
                limit_of_a_label_holds_over_queues_and_namespaces,
                runs_that_run_already_count_in_the_new_limit_of_a_label,
                backlog_of_a_full_label_holds_up_no_other_of_its_queue,
                backlog_of_a_full_label_holds_up_no_other_queue,
                run_with_two_limited_labels_needs_room_in_both,
                run_that_is_tried_again_takes_its_place_of_a_label_anew,
                limit_of_a_label_holds_for_routed_runs,
                limit_of_a_label_holds_for_tasks_that_have_it,
                label_of_a_task_stands_before_that_of_its_workflow,
                tasks_that_run_already_count_in_the_new_limit_of_a_label;
            workers:
                claim_takes_from_one_queue_after_the_other,
                worker_executes_runs_under_its_own_name,
                worker_is_counted_up_and_buried_by_the_count_that_was_seen,
                node_that_counts_workers_hears_which_of_them_another_has_answered_since,
                worker_that_drains_claims_nothing_and_tells_its_clock,
                run_that_is_over_names_who_has_executed_it,
                workers_count_for_as_long_as_their_node_does,
                runs_of_a_buried_worker_are_adopted_and_those_of_a_living_one_are_not,
                process_that_starts_leaves_the_runs_of_workers,
                end_that_is_asked_for_reaches_the_node_that_hears_the_worker,
                worker_claims_through_the_process_that_hears_it_alone,
                tokens_of_workers_are_kept_by_name;
            documents:
                documents_are_kept_by_kind_and_name,
                documents_are_written_over_what_was_expected_alone,
                documents_expire,
                documents_are_added_where_there_are_none,
                documents_change_together_or_not_at_all,
                documents_of_a_save_are_written_with_it_or_it_is_not_made,
                purge_waits_for_places_among_events;
            flows:
                flows_are_kept_by_name_and_saved_over_what_was_seen,
                items_are_written_by_the_owner_of_their_flow_alone,
                large_payloads_are_kept_in_parts_that_go_with_their_items,
                minutes_of_flows_are_kept_for_a_while_by_their_owners,
                requests_that_race_with_each_other_and_a_takeover_overfill_no_queue;
            inboxes:
                inboxes_are_filled_by_their_node_until_they_are_closed,
                items_of_an_inbox_are_adopted_by_the_owner_once,
                lists_read_the_begin_of_a_payload_alone,
                nodes_and_owners_that_race_lose_and_double_no_item;
            backfills:
                backfills_are_kept_with_their_items,
                step_of_a_backfill_makes_runs_at_its_turn_alone,
                turn_of_a_backfill_tells_how_its_runs_stand,
                items_are_closed_and_opened_again_together,
                runs_of_fire_times_are_found_whoever_made_them,
                run_of_the_trigger_itself_is_seen_to_be_under_way,
                fire_time_is_that_of_one_backfill_at_a_time,
                fire_time_that_another_backfill_runs_does_not_start,
                gap_says_which_backfill_has_run_its_instants,
                nothing_is_backfilled_of_a_job_that_is_gone,
                backfills_go_with_the_history_once_they_have_ended,
                items_wait_for_those_of_other_backfills_that_start_with_them;
            webhooks:
                webhooks_are_kept_by_name,
                deliveries_are_noted_once_for_each_event,
                delivery_is_taken_by_one_at_a_time,
                delivery_that_is_settled_late_stays_as_it_is,
                webhook_that_fails_rests_until_it_is_resumed,
                webhook_that_rests_keeps_no_events,
                deliveries_are_given_up_by_their_age_and_counted_up_to_a_bound,
                deliveries_of_a_webhook_that_is_gone_go_in_slices,
                purge_waits_for_webhooks_and_forgets_old_deliveries,
                missed_instants_of_a_fire_are_an_event;
            routing:
                routed_run_is_for_the_worker_that_was_picked,
                what_a_strategy_counts_is_kept,
                workers_stand_where_people_have_put_them,
                run_whose_worker_is_gone_goes_to_another,
                run_waits_for_a_worker_with_its_labels,
                busy_worker_is_passed_over,
                each_worker_executes_a_shard_and_the_run_ends_with_them,
                shard_keeps_its_place_when_it_is_tried_again,
                cancel_of_a_broadcast_reaches_its_shards,
                newer_run_replaces_a_broadcast_with_its_shards,
                runs_for_which_nobody_is_there_hide_no_others,
                run_with_the_id_of_a_shard_is_in_the_way_of_nobody,
                runs_whose_shards_go_on_hide_no_one_whose_shards_are_final,
                shard_is_kept_until_its_run_has_ended;
            after:
                run_follows_the_end_of_another_one,
                end_of_a_run_leaves_a_fire_whichever_way_it_comes,
                ends_count_as_the_trigger_says,
                parts_of_runs_and_backfills_start_nothing,
                what_tasks_start_below_a_backfill_starts_nothing_more,
                following_run_meets_the_limit_of_its_job,
                fire_of_a_paused_trigger_is_recorded,
                fire_is_owed_by_what_the_job_says_when_it_is_made,
                following_run_takes_the_next_id_if_its_own_is_taken,
                jobs_saved_together_come_after_each_other;
            corrections:
                success_after_lost_corrects_a_run_once,
                run_that_was_repeated_stays_lost,
                run_that_is_tried_again_stays_lost,
                what_was_not_lost_is_not_corrected;
            past:
                past_run_is_kept_once_and_read_as_any_other,
                past_run_tells_nobody,
                past_runs_need_their_job;
            deadlines:
                run_that_is_unfinished_at_its_deadline_is_told_of_once,
                run_that_ends_late_before_anybody_looks_is_told_of,
                deadline_is_that_of_the_job_now;
            workflows:
                workflow_run_is_begun_once,
                step_is_written_at_its_turn_alone,
                task_that_starts_is_a_run_with_a_parent,
                rows_of_tasks_say_what_was_written_last,
                end_of_a_task_is_left_in_the_inbox_whichever_way_it_comes,
                ends_at_the_same_time_are_both_heard_and_the_child_starts_once,
                cancel_of_a_begun_workflow_is_left_in_its_inbox,
                newer_run_replaces_a_begun_workflow_by_request,
                begun_workflow_is_held_by_nobody,
                end_of_a_workflow_frees_its_slot,
                trigger_that_awaited_a_workflow_is_noted,
                requests_to_a_workflow_are_heard_in_order,
                step_ends_runs_of_tasks,
                lists_leave_tasks_out_unless_they_are_asked_for,
                tasks_go_with_their_run,
                thousands_of_tasks_start_in_one_step,
                task_that_waits_for_nothing_is_counted,
                run_with_the_id_of_a_task_is_in_the_way_of_nobody,
                end_of_a_workflow_that_is_a_task_is_told_to_its_own,
                queue_that_is_named_like_the_line_of_workflows_has_none;
            workflow_races:
                child_of_two_that_end_together_is_queued_once;
            following:
                end_of_a_task_is_recorded_with_what_follows_it_and_a_claim,
                step_that_comes_too_late_leaves_the_end_to_the_inbox,
                step_of_a_run_that_was_asked_something_leaves_the_end_to_the_inbox,
                step_is_not_written_where_the_end_is_refused_that_it_hears,
                claim_beside_ends_goes_by_the_order_of_the_line;
            workflow_sets:
                steps_of_many_runs_are_written_together_and_refused_alone,
                runs_that_are_begun_together_are_begun_once,
                ends_of_many_runs_give_each_slot_away_once,
                end_of_a_task_frees_no_slot_of_its_job;
            calls:
                run_that_a_task_starts_is_made_once_and_its_end_is_told,
                what_tasks_have_started_is_forgotten_after_the_runs,
                run_that_no_row_of_a_task_names_is_not_made,
                run_that_a_task_has_started_is_ended_with_its_slot,
                output_of_a_workflow_run_is_kept,
                workflow_run_hears_once_that_its_time_is_over;
            awaits:
                end_of_a_task_is_told_to_those_who_await_it,
                end_of_a_run_is_told_to_those_who_await_a_task_of_it,
                what_is_awaited_is_forgotten_when_the_task_ends,
                what_is_awaited_is_forgotten_with_the_run,
                end_that_is_under_way_is_seen_or_told;
            reruns:
                rerun_begins_with_the_tasks_that_it_keeps,
                rerun_is_refused_once_another_one_came_first,
                rerun_of_a_run_that_never_began_keeps_nothing,
                rerun_of_a_run_that_never_began_is_refused_once_another_one_came_first,
                rerun_that_never_began_leaves_nothing_behind,
                task_that_is_set_back_waits_under_its_next_generation,
                runs_of_a_line_that_no_claim_takes_are_found_by_it,
                item_of_a_backfill_keeps_tasks_of_the_run_that_it_repeats;
            cancels:
                unstarted_run_is_over_at_once,
                running_run_is_asked_to_end,
                run_that_ends_well_despite_the_request_has_succeeded,
                run_whose_end_was_asked_for_is_not_tried_again,
                cancel_frees_a_slot_for_the_held_run,
                cancel_of_a_held_run_frees_no_slot,
                cancel_of_an_awaited_run_arms_its_trigger,
                cancel_of_a_running_run_leaves_its_trigger_waiting,
                trigger_whose_run_ended_without_arming_it_is_stranded,
                unknown_run_cannot_be_cancelled;
            deletions:
                jobs_are_deleted_together_or_not_at_all,
                jobs_that_are_deleted_together_leave_what_each_leaves_alone;
            jobs:
                saved_job_is_there_with_its_triggers,
                due_times_are_made_from_jitter,
                save_counts_changes_and_versions,
                save_expects_what_is_there,
                saves_happen_all_or_none,
                many_jobs_are_saved_as_one_by_one,
                save_loses_against_a_fire_in_between,
                trigger_made_again_continues_from_its_tombstone,
                deleted_job_leaves_tombstones_and_cancels_what_waits,
                pause_of_a_job_reaches_its_triggers,
                update_of_a_trigger_sets_its_progress_and_records_what_passed,
                save_records_what_passed_before_it,
                deletion_records_what_passed_before_it,
                update_is_refused_whole_when_something_has_changed,
                old_versions_stay_while_runs_refer_to_them,
                definitions_are_read_together,
                trigger_that_is_put_aside_fires_no_more_and_says_why,
                trigger_is_put_aside_only_as_it_was_seen,
                trigger_that_was_put_aside_goes_on_when_it_is_saved_again,
                jobs_are_listed_in_order_and_filtered,
                triggers_are_listed_in_order_and_filtered,
                instants_at_the_ends_of_the_range_come_back;
            window:
                window_is_read_in_order_page_by_page,
                place_in_the_window_is_a_lower_bound,
                trigger_that_fires_earlier_is_found_there,
                release_of_the_tz_database_is_kept_with_the_next_instant,
                trigger_that_is_moved_without_a_fire_is_found_there,
                changes_are_taken_once_and_bounded,
                process_that_begins_hears_of_no_change_from_before,
                fires_and_verdicts_are_no_changes,
                requests_wake_the_engine;
            reanchor:
                records_of_the_future_are_taken_back;
            reads:
                runs_are_listed_newest_first_and_filtered,
                many_runs_are_paged_without_loss,
                gaps_are_read_on_from_a_position,
                tally_counts_every_instant_once,
                events_follow_each_other_without_a_gap,
                changes_of_things_are_events,
                log_is_read_from_the_chunk_that_holds_the_line,
                log_chunk_that_is_there_is_passed_over;
            lists:
                jobs_are_described_in_brief,
                jobs_are_read_by_id,
                versions_of_a_job_are_listed_newest_first,
                gaps_are_read_newest_first_with_the_names_of_triggers,
                figures_of_spans_are_kept_and_forgotten,
                figures_of_queues_are_kept_apart_from_those_of_the_whole;
            expiring:
                run_that_is_not_started_in_time_is_skipped,
                runs_that_expire_together_end_in_bounded_steps,
                run_that_was_started_in_time_does_not_expire,
                run_whose_time_is_over_between_attempts_has_failed,
                expired_run_gives_its_slot_to_one_that_is_held,
                held_run_expires_where_it_waits,
                trigger_that_awaited_an_expired_run_is_noted_and_set_going,
                input_of_a_trigger_is_that_of_its_runs;
            replacing:
                newer_run_asks_for_the_end_of_the_one_that_runs,
                held_run_starts_when_the_replaced_one_is_lost,
                newest_run_replaces_the_one_that_waits,
                unstarted_run_makes_room_at_once,
                oldest_of_several_makes_room,
                run_that_was_asked_for_replaces_and_is_replaced,
                run_that_somebody_ends_makes_room_already,
                batch_that_is_repeated_replaces_nobody_twice,
                trigger_that_awaited_the_replaced_run_is_noted;
            keeping:
                namespaces_come_with_their_jobs_and_go_when_empty,
                calendars_are_kept_as_written,
                calendar_in_use_concerns_its_triggers,
                triggers_of_a_calendar_and_of_those_on_it_move_with_its_save,
                settings_are_kept,
                purge_deletes_old_history_with_all_that_belongs_to_it,
                parts_of_an_output_are_kept_until_their_run_goes,
                purge_keeps_the_newest_runs_of_each_job,
                purge_leaves_positions_of_events,
                purge_forgets_tombstones_and_keys,
                unfinished_runs_are_counted_by_state_and_queue,
                store_says_how_large_it_is,
                store_that_is_closed_answers_nothing_more;
            data:
                data_is_what_the_last_success_has_left,
                data_of_an_end_that_is_refused_is_not_kept,
                data_is_set_at_the_revision_that_was_seen,
                data_goes_with_its_job;
            keys:
                key_is_claimed_once_and_answered_ever_after,
                key_is_for_one_request,
                first_answer_stays,
                claim_of_a_process_that_is_gone_is_taken_over,
                claim_that_is_given_up_is_new_or_goes_on,
                what_is_asked_under_a_claim_is_refused_once_another_has_it,
                keys_that_differ_in_case_are_different;
        }
    };
}

/// Makes a test of each history of nodes that share a store, as [`conformance_suite!`](crate::conformance_suite) does.
#[macro_export]
macro_rules! cluster_suite {
    ($make:expr) => {
        $crate::conformance_tests! { $make;
            nodes:
                nodes_join_and_are_seen,
                free_shards_are_acquired_once,
                late_changes_are_passed_over,
                acquisition_that_is_repeated_answers_what_it_took,
                burial_needs_the_counter_that_was_seen,
                buried_node_records_nothing,
                node_that_was_told_of_more_than_is_there_records_nothing,
                purge_forgets_what_failovers_have_lost_with_the_last_runs_of_that_time,
                batch_that_is_repeated_counts_once,
                runs_of_a_buried_node_are_adopted_once,
                begun_workflow_stays_when_a_node_is_buried,
                adoption_that_is_repeated_answers_what_it_took,
                purge_forgets_what_dead_nodes_were_answered,
                runs_that_a_node_holds_are_read,
                window_and_changes_are_read_by_shard,
                change_is_told_until_it_was_heard,
                end_is_asked_of_the_node_that_executes,
                node_is_asked_to_drain,
                freed_slot_is_noted_for_the_owner,
                owner_of_a_new_shard_knows_of_earlier_changes,
                changes_before_a_shard_was_taken_are_dropped,
                claim_of_a_node_that_lives_is_waited_for,
                claim_that_lapses_is_taken_over,
                claim_that_was_taken_over_is_not_given_up_by_the_one_before;
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

#[cfg(test)]
mod tests {
    /// A history that is written but not listed would never run.
    #[test]
    fn every_history_is_in_the_list() {
        let list = include_str!("conformance.rs");
        for source in [
            include_str!("conformance/after.rs"),
            include_str!("conformance/cancels.rs"),
            include_str!("conformance/corrections.rs"),
            include_str!("conformance/deadlines.rs"),
            include_str!("conformance/past.rs"),
            include_str!("conformance/deletions.rs"),
            include_str!("conformance/completions.rs"),
            include_str!("conformance/expiring.rs"),
            include_str!("conformance/fires.rs"),
            include_str!("conformance/flows.rs"),
            include_str!("conformance/inboxes.rs"),
            include_str!("conformance/gates.rs"),
            include_str!("conformance/jobs.rs"),
            include_str!("conformance/keeping.rs"),
            include_str!("conformance/keys.rs"),
            include_str!("conformance/labels.rs"),
            include_str!("conformance/lanes.rs"),
            include_str!("conformance/nodes.rs"),
            include_str!("conformance/queue.rs"),
            include_str!("conformance/queues.rs"),
            include_str!("conformance/reads.rs"),
            include_str!("conformance/reanchor.rs"),
            include_str!("conformance/replacing.rs"),
            include_str!("conformance/reruns.rs"),
            include_str!("conformance/routing.rs"),
            include_str!("conformance/documents.rs"),
            include_str!("conformance/webhooks.rs"),
            include_str!("conformance/window.rs"),
            include_str!("conformance/following.rs"),
            include_str!("conformance/workflow_sets.rs"),
            include_str!("conformance/workflows.rs"),
        ] {
            let lines = source.lines().filter_map(|line| line.strip_prefix("pub async fn "));
            // A generic one wants something of the store that only its own tests can do, and is called there.
            let names =
                lines.filter_map(|line| line.split_once('(')).map(|(name, _)| name).filter(|it| !it.contains('<'));
            for name in names {
                assert!(list.contains(&format!(" {name},")) || list.contains(&format!(" {name};")), "{name}");
            }
        }
    }
}

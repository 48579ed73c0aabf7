//! Misfire policies and their rules, which are Quartz's instructions.
//!
//! | policy | what becomes of the missed instants |
//! |---|---|
//! | `smart` | chooses by kind. `every`: `fire_now` when it fires once, `next_with_remaining_count` when it fires for ever, else `now_with_existing_count`. All others: `fire_once_now` |
//! | `ignore` | all fire, one by one, up to the catch-up cap |
//! | `fire_now` | fires now. With repeats it is `now_with_remaining_count` |
//! | `now_with_existing_count` | fires now and starts again from here, with as many repeats as were left |
//! | `now_with_remaining_count` | fires now and starts again from here; the missed instants use up repeats |
//! | `next_with_remaining_count` | waits for the next instant of the schedule; the missed ones count as fired |
//! | `next_with_existing_count` | waits for the next instant of the schedule; the missed ones do not count as fired |
//! | `fire_once_now` | fires once now, for all missed instants, then goes on as planned |
//! | `do_nothing` | waits for the next instant of the schedule |
//!
//! Which of them a trigger may have depends on its kind: `every` and `at` take all but
//! `fire_once_now` and `do_nothing`; `cron`, `calendar_interval` and `daily_window` take `smart`,
//! `ignore`, `fire_once_now` and `do_nothing`; `delay` takes `smart`, `ignore` and `fire_once_now`.
//!
//! ```
//! use mainspring_schedule::MisfirePolicy;
//! assert_eq!("fire_once_now".parse(), Ok(MisfirePolicy::FireOnceNow));
//! assert_eq!(MisfirePolicy::default().to_string(), "smart");
//! ```

pub use mainspring_model::{MisfirePolicy, UnknownMisfirePolicy};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_policy_reads_back_from_its_name() {
        for &policy in MisfirePolicy::ALL {
            assert_eq!(policy.as_str().parse(), Ok(policy));
        }
        assert_eq!("FIRE_NOW".parse::<MisfirePolicy>().unwrap_err().code(), "misfire.unknown_policy");
    }
}

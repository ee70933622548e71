//! The models find each bug that is seeded in the engine ([`Fault`]).

use std::panic::{AssertUnwindSafe, catch_unwind};

use shuttle::Runner;
use shuttle::scheduler::{PctScheduler, RandomScheduler};

use super::{SEED, SWITCHES, config, line, pool, relay, ring, session, store};
use crate::sync::Fault;

/// A bug is found within so many schedules, or the models are too weak.
const SCHEDULES: usize = 20_000;

/// How many schedules of one kind run before those of the other kind.
const ROUND: usize = 500;

/// Runs a model until it fails. Returns after how many schedules that was, at most, and why it failed.
fn failure(model: fn()) -> Option<(usize, String)> {
    for round in 0..SCHEDULES / ROUND / 2 {
        let seed = SEED + round as u64;
        let random = || Runner::new(RandomScheduler::new_from_seed(seed, ROUND), config()).run(model);
        let few = || Runner::new(PctScheduler::new_from_seed(seed, SWITCHES, ROUND), config()).run(model);
        for (at, result) in [catch_unwind(AssertUnwindSafe(random)), catch_unwind(AssertUnwindSafe(few))]
            .into_iter()
            .enumerate()
        {
            if let Err(reason) = result {
                let text = reason.downcast_ref::<String>().cloned();
                let text = text.or_else(|| reason.downcast_ref::<&str>().map(|text| (*text).into()));
                return Some(((2 * round + at + 1) * ROUND, text.unwrap_or_default()));
            }
        }
    }
    None
}

/// Seeds the bug, and asserts that the model finds it.
fn assert_found(fault: Fault, model: fn()) {
    Fault::seed(Some(fault));
    let failure = failure(model);
    Fault::seed(None);
    let (schedules, reason) = failure.unwrap_or_else(|| panic!("{fault:?} is not found"));
    println!("{fault:?}: found within {schedules} schedules: {}", reason.lines().next().unwrap_or_default());
}

macro_rules! faults {
    ($($name:ident: $fault:ident by $model:path;)*) => {
        $(
            #[test]
            fn $name() {
                assert_found(Fault::$fault, $model);
            }
        )*

        #[test]
        fn each_bug_that_is_seeded_has_a_test() {
            let tested = [$(Fault::$fault),*];
            for fault in Fault::ALL {
                assert!(tested.contains(fault), "{fault:?}");
            }
        }
    };
}

faults! {
    piece_without_notice: PieceWithoutNotice by line::wrong_guesses;
    certain_without_notice: CertainWithoutNotice by relay::handing_on;
    guess_continued: GuessContinued by line::wrong_guesses;
    kept_input_lost: KeptInputLost by line::wrong_guesses;
    end_seen_too_early: EndSeenTooEarly by session::in_the_background;
    starving_twice: StarvingTwice by session::one_owner;
    opened_without_look: OpenedWithoutLook by line::waiting;
    one_of_many: OneOfMany by line::wrong_guesses;
    stopped_without_lock: StoppedWithoutLock by line::waiting;
    wakeups_not_counted: WakeupsNotCounted by pool::stealing;
    closed_without_lock: ClosedWithoutLock by line::waiting;
    returned_twice: ReturnedTwice by line::wrong_guesses;
    lent_back_without_lock: LentBackWithoutLock by ring::lending;
    passed_on_in_two_steps: PassedOnInTwoSteps by relay::handing_on;
    left_too_late: LeftTooLate by relay::handing_on;
    place_not_lent: PlaceNotLent by session::several_owners;
    turn_ended_in_two_steps: TurnEndedInTwoSteps by session::one_owner;
    dropped_without_stop: DroppedWithoutStop by session::one_owner;
    sum_without_notice: SumWithoutNotice by relay::handing_on;
    owner_not_told: OwnerNotTold by session::one_owner;
    store_closed_without_notice: StoreClosedWithoutNotice by store::behind;
    store_ended_without_notice: StoreEndedWithoutNotice by store::before;
}

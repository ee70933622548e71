//! The queues of the workers: tasks that are stolen, workers that sleep and are woken, workers that leave the machine
//! to other programs, and the end.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Pools, explore, one_in, pick};
use crate::PIECE_LEN;
use crate::line::{Delivery, Jobs};
use crate::queues::{Queues, Task};

/// How many tasks of each kind there are.
const TASKS: usize = 3;

pub(super) fn stealing() {
    let pools = Pools::new(0, PIECE_LEN * TASKS, 0);
    let (queues, deques) = Queues::new(1 + pick(3));
    // Counters of the model itself, so they need no steps.
    let (jobs, writes) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let close_early = pick(2) == 0;
    let left = AtomicUsize::new(2 * TASKS);
    shuttle::thread::scope(|scope| {
        let (queues, pools, jobs, writes, left) = (&queues, &pools, &jobs, &writes, &left);
        for (number, deque) in deques.into_iter().enumerate() {
            scope.spawn(move || {
                let next = || {
                    queues.park(&deque, || number == 0 || one_in(2));
                    queues.next(&deque)
                };
                while let Some(task) = next() {
                    match task {
                        Task::Job(job) => {
                            jobs.fetch_add(1 << (8 * job), Ordering::Relaxed);
                            // A job brings a write, which another worker can steal.
                            let slice =
                                pools.pieces.lend(PIECE_LEN, || true).expect("it is open").freeze(0..1);
                            deque.push(Task::Write(Delivery { at: job, slice }));
                            if queues.is_idle() {
                                queues.wake_one();
                            }
                        }
                        Task::Write(delivery) => {
                            writes.fetch_add(1 << (8 * delivery.at), Ordering::Relaxed);
                        }
                        Task::Digest(_) => unreachable!("none was offered"),
                    }
                    // The last task ends the work, as in a run.
                    if left.fetch_sub(1, Ordering::Relaxed) == 1 && !close_early {
                        queues.close();
                    }
                }
            });
        }
        for job in 0..TASKS {
            queues.submit(job as u64);
        }
        if close_early {
            queues.close();
        }
    });
    let once = (0..TASKS).map(|job| 1 << (8 * job)).sum::<usize>();
    assert_eq!((jobs.into_inner(), writes.into_inner()), (once, once), "each task is done once");
    drop(queues);
    pools.assert_whole();
}

#[test]
fn each_task_is_done_once_and_all_workers_end() {
    explore(stealing);
}

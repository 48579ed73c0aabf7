//! Tasks that are made to wait again while the run goes on, and their earlier runs.

use super::*;

impl World {
    /// Sets a task back as a request does: in one step of the run, after which what is in memory no longer holds. Its run goes on.
    fn set_back(&mut self, name: &str) {
        let place = self.tasks.keys().copied().find(|place| self.name(*place) == name).expect("it has a row");
        let row = self.tasks.get_mut(&place).expect("seen above");
        (row.state, row.generation, row.reason) = (TaskState::Waiting, row.generation + 1, None);
        let generation = row.generation;
        for (_, item) in self.tasks.iter_mut().filter(|((task, item), _)| *task == place.0 && item.is_some()) {
            if !item.state.is_final() {
                assert!(item.generation < generation);
                item.state = TaskState::Cancelled;
            }
        }
        self.row.turn += 1;
        (self.live, self.owes) = (None, true);
    }

    fn starts(&self, name: &str) -> usize {
        let of = self.started.iter().find(|(place, _)| self.name(**place) == name);
        of.map_or(0, |(_, starts)| starts.len())
    }

    async fn succeed(&mut self, name: &str) {
        self.finish(self.child(name), RunState::Succeeded);
        self.settle().await;
    }
}

#[tokio::test]
async fn task_that_was_set_back_starts_once_its_earlier_run_has_ended() {
    let mut world = World::new(diamond());
    world.settle().await;
    world.succeed("a").await;
    let old = world.child("b");
    world.set_back("b");
    for _ in 0..3 {
        world.settle().await;
        assert_eq!((world.state("b"), world.starts("b")), (TaskState::Ready, 1), "its run has not ended");
        // Whoever goes on after a crash sees the same.
        (world.live, world.owes) = (None, true);
    }
    world.succeed("c").await;
    world.finish(old, RunState::Failed);
    world.settle().await;
    assert_eq!((world.state("b"), world.starts("b")), (TaskState::Running, 2), "that end is of another generation");
    world.succeed("b").await;
    world.succeed("d").await;
    assert_eq!(world.outcome().1, Verdict::Succeeded);
    assert_eq!((world.starts("a"), world.starts("c"), world.starts("d")), (1, 1, 1));
}

#[tokio::test]
async fn task_set_back_twice_waits_for_its_one_run() {
    let mut world = World::new(diamond());
    world.settle().await;
    let old = world.child("a");
    world.set_back("a");
    world.settle().await;
    world.set_back("a");
    world.settle().await;
    assert_eq!(world.starts("a"), 1);
    world.finish(old, RunState::Succeeded);
    world.settle().await;
    assert_eq!((world.state("b"), world.starts("a")), (TaskState::Waiting, 2));
}

#[tokio::test]
async fn items_of_an_earlier_generation_count_no_more() {
    let mut many = task("m", &[]);
    many.spread = Some(Spread::Matrix(vec![("n".to_owned(), vec![json!(1), json!(2), json!(3)])]));
    let mut world = World::new(Workflow { tasks: vec![many, task("z", &[0])], ..Workflow::default() });
    world.settle().await;
    world.succeed("m[0]").await;
    let old = [world.child("m[1]"), world.child("m[2]")];
    world.set_back("m");
    world.settle().await;
    assert_eq!(world.starts("m[0]"), 1, "items of before are running");
    world.finish(old[0], RunState::Cancelled);
    world.settle().await;
    assert_eq!(world.starts("m[0]"), 1, "one still is");
    world.finish(old[1], RunState::Cancelled);
    world.settle().await;
    assert_eq!((world.starts("m[0]"), world.starts("m[1]"), world.starts("m[2]")), (2, 2, 2));
    for item in ["m[2]", "m[0]", "m[1]", "z"] {
        (world.live, world.owes) = (None, true);
        world.succeed(item).await;
    }
    assert_eq!(world.outcome().1, Verdict::Succeeded);
}

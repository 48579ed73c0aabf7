//! Marks of tasks that run more than once.

use super::*;

#[tokio::test]
async fn task_is_marked_though_none_of_its_items_runs() {
    for (verb, expected) in [(TaskVerb::Succeed, TaskState::Succeeded), (TaskVerb::Fail, TaskState::Failed)] {
        let axes = vec![("n".to_owned(), vec![json!(1), json!(2), json!(3)])];
        let many = TaskDefinition { spread: Some(Spread::Matrix(axes)), max_parallel: Some(1), ..task("a", &[]) };
        let mut world = World::new(Workflow { tasks: vec![many, task("b", &[0])], ..Workflow::default() });
        world.settle().await;
        world.ask(TaskVerb::Pause, None);
        world.finish(world.child("a[0]"), RunState::Succeeded);
        world.settle().await;
        assert_eq!((world.state("a"), world.running.len()), (TaskState::Running, 0), "the others wait");
        world.ask(verb, Some(0));
        world.settle().await;
        assert_eq!((world.state("a"), world.state("a[2]")), (expected, TaskState::Cancelled));
        assert!(world.reason("a").starts_with("marked"), "{}", world.reason("a"));
    }
}

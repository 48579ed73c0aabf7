//! One line for each task.

use std::fmt::Write as _;

use mainspring_core::workflow::TriggerRule;

use super::Drawing;

pub fn draw(workflow: &Drawing) -> String {
    let graph = workflow.shape.graph();
    let name = |task: u32| workflow.tasks[task as usize].as_str();
    let width = workflow.tasks.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for (number, layer) in (1..).zip(super::layers(workflow)) {
        for task in layer {
            let rule = workflow.shape.rule(task);
            let wave = if rule.finally { "last".to_owned() } else { format!("wave {number}") };
            let needs: Vec<&str> = graph.parents(task).iter().map(|parent| name(*parent)).collect();
            let needs = match needs.as_slice() {
                [] => String::new(),
                tasks if rule.group => format!("group of {}", tasks.join(", ")),
                tasks => format!("needs {}", tasks.join(", ")),
            };
            let marks = [
                (rule.trigger_rule != TriggerRule::AllSuccess).then_some(rule.trigger_rule.as_str()),
                rule.conditional.then_some("if"),
                rule.continue_on_error.then_some("continue_on_error"),
            ];
            let marks = marks.into_iter().flatten().collect::<Vec<_>>().join(" ");
            let line = format!("{wave:<6}  {:<width$}  {needs}  {marks}", name(task));
            writeln!(text, "{}", line.trim_end()).expect("a text takes what is written");
        }
    }
    text
}

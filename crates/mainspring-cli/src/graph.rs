//! Workflows and flows as pictures and texts.

mod dot;
mod flow;
mod mermaid;
mod svg;
mod text;

use std::collections::{BTreeMap, BTreeSet};

use clap::ValueEnum;
use mainspring_core::workflow::{Shape, Workflow, measure};

pub use flow::draw as draw_flow;

/// The language of a drawing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Language {
    /// One line for each task or component
    #[default]
    Text,
    /// For Markdown pages
    Mermaid,
    /// For Graphviz
    Dot,
    /// A picture
    Svg,
}

/// What is drawn of a workflow.
#[derive(Debug)]
pub struct Drawing {
    /// The names of the tasks, by their numbers in the graph.
    pub tasks: Vec<String>,
    /// The group that each of them lies in.
    pub groups: Vec<Option<String>>,
    /// Which task needs which, and under which rules they run.
    pub shape: Shape,
}

impl Drawing {
    /// Takes it from a definition.
    ///
    /// # Panics
    /// For a definition that no file or server would have passed.
    pub fn of(workflow: &Workflow) -> Self {
        let shape = workflow.shape().expect("a workflow that was read has no cycle");
        Self {
            tasks: workflow.tasks.iter().map(|task| task.name.clone()).collect(),
            groups: workflow.tasks.iter().map(|task| task.group.clone()).collect(),
            shape,
        }
    }
}

/// Draws a workflow.
pub fn draw(workflow: &Drawing, language: Language) -> String {
    if language == Language::Text { text::draw(workflow) } else { in_language(&picture(workflow), language) }
}

/// Boxes in columns, and arrows between them.
struct Picture {
    /// What it is of.
    kind: &'static str,
    boxes: Vec<Node>,
    arrows: Vec<Arrow>,
    /// The boxes of each column.
    columns: Vec<Vec<u32>>,
    /// Frames around boxes: the box that stands for all of them, and those, which may have frames themselves.
    frames: Vec<(u32, Vec<u32>)>,
}

struct Node {
    name: String,
    dashed: bool,
}

/// What a frame is drawn of.
#[derive(Clone, Copy)]
enum Framed {
    /// The frame of a group begins.
    Begin(u32),
    Box(u32),
    /// The frame of a group ends, with the box that stands for it.
    End(u32),
}

struct Arrow {
    from: u32,
    to: u32,
    /// What stands on it, if anything.
    label: String,
}

impl Picture {
    /// Visits each frame with what lies in it: `begins` at its beginning, `each` at a box that has none, and `ends` at its end.
    fn each_framed(&self, visit: &mut dyn FnMut(Framed)) {
        let inside: BTreeMap<u32, &[u32]> = self.frames.iter().map(|(group, all)| (*group, &all[..])).collect();
        let lies: BTreeSet<u32> = self.frames.iter().flat_map(|(_, all)| all).copied().collect();
        let outer = (0..).take(self.boxes.len()).filter(|it| !lies.contains(it));
        let mut open: Vec<Framed> = outer.map(Framed::Box).collect::<Vec<_>>().into_iter().rev().collect();
        while let Some(it) = open.pop() {
            match it {
                Framed::Box(it) if inside.contains_key(&it) => {
                    visit(Framed::Begin(it));
                    open.push(Framed::End(it));
                    open.extend(inside[&it].iter().rev().map(|it| Framed::Box(*it)));
                }
                it => visit(it),
            }
        }
    }

    /// Returns the boxes from which arrows lead to one.
    fn parents(&self, node: u32) -> impl Iterator<Item = u32> {
        self.arrows.iter().filter(move |arrow| arrow.to == node).map(|arrow| arrow.from)
    }
}

fn in_language(picture: &Picture, language: Language) -> String {
    match language {
        Language::Text => String::new(),
        Language::Mermaid => mermaid::draw(picture),
        Language::Dot => dot::draw(picture),
        Language::Svg => svg::draw(picture),
    }
}

fn picture(workflow: &Drawing) -> Picture {
    let graph = workflow.shape.graph();
    let node = |(task, name): (u32, &String)| Node { name: name.clone(), dashed: workflow.shape.rule(task).finally };
    let arrow = |from: u32, to: u32| Arrow { from, to, label: String::new() };
    Picture {
        kind: "workflow",
        boxes: (0..).zip(&workflow.tasks).map(node).collect(),
        arrows: graph.tasks().flat_map(|from| graph.children(from).iter().map(move |to| arrow(from, *to))).collect(),
        columns: layers(workflow),
        frames: frames(workflow),
    }
}

/// The groups with what lies in them.
fn frames(workflow: &Drawing) -> Vec<(u32, Vec<u32>)> {
    let tasks = || workflow.shape.graph().tasks();
    let mut inside: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for task in tasks() {
        if let Some(group) = &workflow.groups[task as usize] {
            inside.entry(group).or_default().push(task);
        }
    }
    let groups = tasks().filter(|task| workflow.shape.rule(*task).group);
    groups.map(|group| (group, inside.remove(workflow.tasks[group as usize].as_str()).unwrap_or_default())).collect()
}

/// The tasks of each wave; those that run last are waves of their own, behind the others.
fn layers(workflow: &Drawing) -> Vec<Vec<u32>> {
    let waves = measure::waves(workflow.shape.graph());
    let last = |task: u32| workflow.shape.rule(task).finally;
    let tasks = || workflow.shape.graph().tasks();
    let before = tasks().filter(|task| !last(*task)).map(|task| waves[task as usize]).max().unwrap_or(0);
    let mut layers: Vec<Vec<u32>> = Vec::new();
    for task in tasks() {
        let wave = waves[task as usize] + if last(task) { before } else { 0 };
        layers.resize_with(layers.len().max(wave as usize), Vec::new);
        layers[wave as usize - 1].push(task);
    }
    layers.retain(|layer| !layer.is_empty());
    layers
}

#[cfg(test)]
mod tests {
    use mainspring_api::JobSpec;
    use mainspring_server::convert::{self, Known, Surroundings};

    use super::*;

    fn workflow(tasks: &str) -> Drawing {
        read(&format!(r#"{{"name": "w", "tasks": {tasks}}}"#))
    }

    fn read(spec: &str) -> Drawing {
        let spec: JobSpec = serde_json::from_str(spec).unwrap();
        let bundle = mainspring_api::Bundle { jobs: vec![spec], ..Default::default() };
        let around = Surroundings {
            namespace: "default",
            timezone: "UTC",
            now: mainspring_core::Timestamp::from_millis(0),
            calendars: &|_, _| Known::Unknown,
            line: convert::NO_LINES,
        };
        Drawing::of(convert::bundle(&bundle, &around).unwrap().jobs[0].workflow().unwrap())
    }

    fn diamond() -> Drawing {
        workflow(
            r#"{"load": {"noop": true}, "left": {"noop": true, "needs": "load"}, "right": {"noop": true, "needs": "load"},
                "join": {"noop": true, "needs": ["left", "right"], "trigger_rule": "none_failed"},
                "tidy": {"noop": true, "finally": true}}"#,
        )
    }

    #[test]
    fn a_group_is_a_frame_with_what_stands_for_it() {
        let spec = r#"{"name": "w", "groups": {"load": {"needs": "a", "group": "all"}, "all": {}},
            "tasks": {"a": {"noop": true}, "b": {"noop": true, "group": "load"}, "c": {"noop": true, "group": "load"},
                "d": {"noop": true, "needs": "all"}}}"#;
        let drawing = read(spec);
        let mermaid = "flowchart LR\n  t0[\"a\"]\n  subgraph g1 [\"all\"]\n    subgraph g5 [\"load\"]\n      t2[\"b\"]\n      t3[\"c\"]\n      \
                       t5([\"load\"])\n    end\n    t1([\"all\"])\n  end\n  t4[\"d\"]\n";
        assert!(draw(&drawing, Language::Mermaid).starts_with(mermaid), "{}", draw(&drawing, Language::Mermaid));
        let dot = draw(&drawing, Language::Dot);
        assert!(
            dot.contains("  subgraph \"cluster_all\" {\n    label=\"all\";\n    subgraph \"cluster_load\" {\n"),
            "{dot}"
        );
        assert_eq!((dot.matches('{').count(), dot.matches('}').count()), (3, 3), "{dot}");
        assert!(draw(&drawing, Language::Text).contains("wave 3  load  group of b, c\n"));
        let svg = draw(&drawing, Language::Svg);
        assert_eq!((svg.matches("rx=\"16\"").count(), svg.matches("rx=\"8\"").count()), (2, 2), "{svg}");
    }

    /// Left, right, top and bottom of what is drawn with these corners.
    fn edges(svg: &str, corners: &str) -> Vec<[usize; 4]> {
        let of = |line: &str, key: &str| -> usize {
            let text = line.split(&format!(" {key}=\"")).nth(1).and_then(|rest| rest.split('"').next());
            text.expect("it is said").parse().expect("a number")
        };
        let rects = svg.lines().filter(|line| line.starts_with("<rect") && line.contains(&format!("rx=\"{corners}\"")));
        let edges = rects.map(|line| {
            let (x, y) = (of(line, "x"), of(line, "y"));
            [x, x + of(line, "width"), y, y + of(line, "height")]
        });
        edges.collect()
    }

    #[test]
    fn frames_of_a_picture_hold_their_boxes_and_no_others() {
        let spec = r#"{"name": "w", "groups": {"g": {"needs": "a"}, "h": {"needs": "a"}, "i": {"group": "h"}},
            "tasks": {"a": {"noop": true}, "b": {"noop": true, "group": "g"}, "c": {"noop": true, "group": "h"},
                "d": {"noop": true, "group": "i"}, "e": {"noop": true, "needs": "a"}, "f": {"noop": true, "needs": ["g", "h"]}}}"#;
        let svg = draw(&read(spec), Language::Svg);
        let boxes = [edges(&svg, "5"), edges(&svg, "16")].concat();
        let frames = edges(&svg, "8");
        assert_eq!((boxes.len(), frames.len()), (9, 3), "{svg}");
        let lies = |it: &[usize; 4], frame: &[usize; 4]| {
            it[0] >= frame[0] && it[1] <= frame[1] && it[2] >= frame[2] && it[3] <= frame[3]
        };
        let apart = |it: &[usize; 4], frame: &[usize; 4]| {
            it[1] < frame[0] || it[0] > frame[1] || it[3] < frame[2] || it[2] > frame[3]
        };
        let mut held: Vec<usize> = frames
            .iter()
            .map(|frame| {
                assert!(boxes.iter().all(|it| lies(it, frame) || apart(it, frame)), "{svg}");
                boxes.iter().filter(|it| lies(it, frame)).count()
            })
            .collect();
        held.sort_unstable();
        assert_eq!(held, [2, 2, 4], "g with b, i with d, and h with c, and i with d");
        let nested = frames.iter().flat_map(|it| frames.iter().filter(move |frame| it != *frame && lies(it, frame)));
        assert_eq!(nested.count(), 1);
        for (index, it) in boxes.iter().enumerate() {
            assert!(boxes[index + 1..].iter().all(|other| apart(it, other)), "{svg}");
        }
    }

    #[test]
    fn a_text_names_tasks_wave_by_wave() {
        let expected = "wave 1  load\n\
                        wave 2  left   needs load\n\
                        wave 2  right  needs load\n\
                        wave 3  join   needs left, right  none_failed\n\
                        last    tidy\n";
        assert_eq!(draw(&diamond(), Language::Text), expected);
    }

    #[test]
    fn mermaid_and_dot_have_each_task_and_edge() {
        let mermaid = draw(&diamond(), Language::Mermaid);
        assert!(mermaid.starts_with("flowchart LR\n  t0[\"join\"]\n"), "{mermaid}");
        assert_eq!(mermaid.matches(" --> ").count(), 4);
        let dot = draw(&diamond(), Language::Dot);
        assert!(dot.contains("  \"left\" -> \"join\";\n") && dot.contains("\"tidy\" [style=dashed];"), "{dot}");
        assert_eq!(dot.matches(" -> ").count(), 4);
    }

    #[test]
    fn a_picture_has_a_box_for_each_task_and_no_two_in_one_place() {
        let svg = draw(&diamond(), Language::Svg);
        assert_eq!((svg.matches("<rect ").count(), svg.matches("<path ").count()), (5, 4), "{svg}");
        let mut places: Vec<&str> = svg.lines().filter_map(|line| line.split("<rect ").nth(1)).collect();
        let boxes = places.len();
        places.sort_unstable();
        places.dedup();
        assert_eq!(places.len(), boxes);
    }
}

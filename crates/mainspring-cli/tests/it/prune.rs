//! A namespace that a file names is named, also when the file lists nothing of it.

use crate::live::Live;
use crate::program::Program;

#[test]
fn an_emptied_file_deletes_all_of_its_namespace_and_of_no_other() {
    let program = Program::new();
    let _live = Live::start(&program);
    program.file("many.yaml", "namespace: many\njobs: [{name: a, noop: true}, {name: b, noop: true}]\n");
    program.file("other.yaml", "jobs: [{name: c, noop: true}]\n");
    assert_eq!(program.run(&["apply", "many.yaml", "other.yaml"]).code, 0);

    program.file("many.yaml", "namespace: many\njobs: []\n");
    let differs = program.run(&["diff", "many.yaml", "--prune"]);
    assert_eq!(differs.code, 10, "{differs:?}");
    let asked = program.run(&["apply", "many.yaml", "--prune"]);
    assert_eq!(asked.code, 2, "{asked:?}");
    assert!(asked.stderr.contains("Delete 2 jobs, all jobs of many?"), "{asked:?}");
    assert_eq!(program.run(&["job", "list", "-n", "many", "-o", "name"]).stdout, "a\nb\n");

    let pruned = program.run(&["apply", "many.yaml", "--prune", "--yes"]);
    assert!(pruned.stderr.contains("2 deleted"), "{pruned:?}");
    assert_eq!(program.run(&["job", "list", "-n", "many", "-o", "name"]).stdout, "");
    assert_eq!(program.run(&["job", "list", "-o", "name"]).stdout, "c\n");
}

#[test]
fn a_file_whose_jobs_name_their_namespaces_deletes_nothing_of_the_usual_one() {
    let program = Program::new();
    let _live = Live::start(&program);
    program.file("usual.yaml", "jobs: [{name: c, noop: true}]\n");
    assert_eq!(program.run(&["apply", "usual.yaml"]).code, 0);
    let files = ["jobs: [{name: a, namespace: many, noop: true}]\n", "namespaces: [many]\n"];
    for file in files {
        program.file("many.yaml", file);
        let pruned = program.run(&["apply", "many.yaml", "--prune", "--yes"]);
        assert_eq!(pruned.code, 0, "{file}: {pruned:?}");
        assert_eq!(program.run(&["job", "list", "-o", "name"]).stdout, "c\n", "{file}");
    }
    assert_eq!(
        program.run(&["job", "list", "-n", "many", "-o", "name"]).stdout,
        "",
        "it is named, and nothing of it is listed"
    );
    program.file("usual.yaml", "jobs: []\n");
    assert_eq!(program.run(&["diff", "usual.yaml", "--prune"]).code, 10, "an emptied file of the usual one");
}

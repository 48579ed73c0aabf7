//! Files of the reference manual that are made from the types. `UPDATE_REFERENCE=1` writes them anew.

use std::path::Path;

#[test]
fn the_job_schema_is_up_to_date() {
    assert_kept("job.schema.json", &mainspring_api::json_schema());
}

#[test]
fn the_flow_schema_is_up_to_date() {
    assert_kept("flow.schema.json", &mainspring_api::flow_json_schema());
}

#[test]
fn the_table_of_errors_is_up_to_date() {
    assert_kept("errors.md", &mainspring_api::error_reference());
}

fn assert_kept(name: &str, made: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference").join(name);
    if std::env::var_os("UPDATE_REFERENCE").is_some() {
        std::fs::create_dir_all(path.parent().expect("the path has a folder")).expect("the folder can be made");
        std::fs::write(&path, made).expect("the file can be written");
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == made, "docs/reference/{name} is out of date: run the test with UPDATE_REFERENCE=1");
}

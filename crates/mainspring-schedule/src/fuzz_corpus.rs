//! Replays the corpus of the fuzz targets, which are in `fuzz` at the root of the repository. It stands among
//! the unit tests because they alone count [`steps`](crate::steps).

#[path = "../../../fuzz/targets.rs"]
mod targets;

#[cfg(test)]
mod tests {
    use super::targets;
    use std::path::Path;

    #[test]
    fn every_input_of_the_fuzz_corpora_is_answered_in_bounded_steps() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
        for (target, ask) in targets::TARGETS {
            let folder = root.join(target);
            let files = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
            let mut inputs = 0;
            for file in files {
                let path = file.unwrap().path();
                let input = std::fs::read(&path).unwrap();
                let answered = std::panic::catch_unwind(|| ask(&input));
                assert!(answered.is_ok(), "{} fails `{target}`", path.display());
                inputs += 1;
            }
            assert!(inputs >= 10, "{target} has {inputs} inputs");
        }
    }
}

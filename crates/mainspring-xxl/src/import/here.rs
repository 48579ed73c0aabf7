//! Scripts that servers and workers of ours execute, in place of executors.

use mainspring_api::{JobSpec, ScriptLanguage, ScriptSpec, XxlLanguage};

use super::report::Item;

/// Makes a script of ours of a script of an executor, where that is asked for the app and the language is known here.
pub(super) fn convert(job: &mut JobSpec, apps: &[String], item: &mut Item) {
    let Some(xxl) = job.xxl.as_ref() else { return };
    let Some(glue) = &xxl.glue else { return };
    let app = xxl.app.clone();
    let language = language(glue.language);
    let Some(language) = language.filter(|_| apps.contains(&app)) else {
        if apps.contains(&app) {
            item.change(format!("it stays a script of executors: {} is for them alone", glue.language.as_str()));
        }
        let how = format!("mainspring xxl app set {app} --glue on");
        return item.change(format!("the script is sent once the app allows that: {how}"));
    };
    job.script = Some(ScriptSpec { language, source: glue.source.clone(), args: Vec::new(), xxl_args: true });
    job.input = xxl.params.clone().map(Into::into);
    // What the block strategy said goes with the task.
    job.overlap = Some(job.overlap_policy());
    job.queue = Some(app.clone());
    job.xxl = None;
    item.becomes = Some(format!("job {}: {language} script, executed here in the queue {app}", job.name));
    item.change(format!(
        "workers of ours execute the script, and executors do not: mainspring worker --queues {app} --scripts"
    ));
    if language == ScriptLanguage::Python {
        item.change("it runs in python3 where there is one; executors before 3.2 ran it in python");
    }
}

/// The language here. Groovy is compiled into executors, and nothing here is meant for Python 2.
const fn language(language: XxlLanguage) -> Option<ScriptLanguage> {
    Some(match language {
        XxlLanguage::Groovy | XxlLanguage::Python2 => return None,
        XxlLanguage::Shell => ScriptLanguage::Shell,
        XxlLanguage::Python => ScriptLanguage::Python,
        XxlLanguage::Node => ScriptLanguage::Node,
        XxlLanguage::Php => ScriptLanguage::Php,
        XxlLanguage::Powershell => ScriptLanguage::Powershell,
    })
}

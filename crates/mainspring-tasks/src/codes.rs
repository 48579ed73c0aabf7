//! The error codes of tasks, with what to do about each. The reference is made from this list.

/// An error code with advice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ErrorCode {
    /// The code, as in [`TaskError::code`](crate::TaskError::code).
    pub code: &'static str,
    /// The meaning and the advice, in a sentence or two.
    pub advice: &'static str,
}

/// All codes of tasks, and of the data that attempts leave, in order.
pub const ERROR_CODES: [ErrorCode; 41] = [
    code("data.invalid", "The data of a job is a JSON object. Write one to $MS_DATA, whole."),
    code("data.not_kept", "The job keeps no data between its runs. Set `keep_data` in its definition."),
    code("data.too_large", "A job keeps 64 KiB of data. Keep what is large elsewhere, and its place in the data."),
    code("data.unreadable", "The file behind $MS_DATA was removed. Write to it, or put another file in its place."),
    code(
        "http.bad_header",
        "A header cannot be sent. Mend its name or value; leave out headers that frame the message.",
    ),
    code("http.bad_method", "The method is no HTTP method that a task may use. Give one such as GET or POST."),
    code(
        "http.bad_url",
        "The address is not an absolute http or https URL without user name. Put credentials in a header.",
    ),
    code("http.body", "The answer broke off before its end. Look at the server's log; a retry may help."),
    code("http.client", "The HTTP client could not be set up. The message holds the system's reason."),
    code("http.connect", "No connection came about. Check host and port, and that the server runs."),
    code(
        "http.denied_address",
        "The host is not at a public address. If the call is meant, an operator adds an outbound exception for it.",
    ),
    code("http.dns", "The host name has no address. Check its spelling and the worker's name service."),
    code("http.protocol", "The server's answer is not HTTP, or it hung up. Check that the port speaks HTTP, or HTTPS."),
    code(
        "http.redirect_refused",
        "A redirect would give something away, or turn a request that changes something into a GET. Call its target directly if it is meant.",
    ),
    code("http.timeout", "No complete answer came in time. Raise the timeout, or look why the server is slow."),
    code(
        "http.tls",
        "The server's certificate is not trusted for this host. Mend it, or add its authority to the roots.",
    ),
    code("http.too_large", "The answer is longer than what is kept. Ask for less, or for a part."),
    code("http.too_many_redirects", "Redirects lead on and on. Call the final address directly."),
    code(
        "http.unexpected_status",
        "The status is not an expected one. The log holds the answer's body; mend the request or `expect`.",
    ),
    code("output.invalid", "$MS_OUTPUT is not understood. Write key=value lines, or JSON objects, in UTF-8."),
    code("output.too_large", "An output has at most 16 MiB. Write what is larger elsewhere and output its place."),
    code(
        "output.unreadable",
        "The file behind $MS_OUTPUT was removed or replaced. Write to it, and leave it in place.",
    ),
    code(
        "process.environment",
        "A variable or parameter cannot be put into an environment. Rename it or mend its value.",
    ),
    code("process.exit", "The process ended with a code other than 0. Its log says more."),
    code("process.folder", "The worker could not make a working folder. Check space and rights of its work root."),
    code("process.leash", "The worker could not start the leash. Check its installation and its process limits."),
    code(
        "process.leash_lost",
        "The leash was killed, so how the process ended is not known. Look for an out-of-memory kill.",
    ),
    code(
        "process.lost",
        "The worker could not learn how the process ended. Something else in it waits for its children.",
    ),
    code("process.no_program", "`argv` is empty. Its first item is the program."),
    code(
        "process.not_executable",
        "The program may not be executed. Check its mode, its `#!` line and the folders above it.",
    ),
    code("process.not_found", "There is no such program. Give its path, or install it where PATH leads."),
    code("process.nul_byte", "An argument holds a NUL byte, which no argument can. Remove it."),
    code("process.signal", "A signal ended the process. KILL without a cancel is often the system short of memory."),
    code("process.spawn", "The system refused to start the process. The message holds its reason, often a limit."),
    code("process.timeout", "The attempt took longer than its timeout. Raise that, or look why it is slow."),
    code(
        "process.too_large",
        "Arguments and environment are larger than the system takes. Hand large values over in files.",
    ),
    code(
        "process.working_dir",
        "The working folder is missing or no folder. Make it on every worker that may run the job.",
    ),
    code(
        "script.no_interpreter",
        "PATH leads to no interpreter of the script's language. Install one on every server and worker that may run the job.",
    ),
    code(
        "script.off",
        "Scripts are off here. Start the server or worker with --scripts, or send the job to a queue of one that has it.",
    ),
    code("task.cancelled", "The attempt was ended on request."),
    code(
        "task.not_enabled",
        "This program runs no task of that kind. Build it with the feature, or take a newer worker.",
    ),
];

const fn code(code: &'static str, advice: &'static str) -> ErrorCode {
    ErrorCode { code, advice }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use super::*;

    /// Collects string literals that look like codes, from the source without its tests.
    fn codes_in(folder: &Path, found: &mut BTreeSet<String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                codes_in(&path, found);
            } else if !path.ends_with("codes.rs") {
                let text = fs::read_to_string(&path).unwrap();
                let source = text.split("#[cfg(test)]").next().unwrap();
                let literals = source.split('"').skip(1).step_by(2);
                let areas = ["data.", "http.", "output.", "process.", "script.", "task."];
                let is_code = |text: &&str| {
                    areas.iter().any(|area| text.starts_with(area))
                        && text.bytes().all(|b| b.is_ascii_lowercase() || b == b'_' || b == b'.')
                };
                found.extend(literals.filter(is_code).map(str::to_owned));
            }
        }
    }

    #[test]
    fn the_list_holds_exactly_the_codes_in_use() {
        let mut in_use = BTreeSet::new();
        codes_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut in_use);
        let listed: Vec<_> = ERROR_CODES.iter().map(|entry| entry.code).collect();
        assert!(listed.is_sorted());
        assert_eq!(in_use.iter().map(String::as_str).collect::<Vec<_>>(), listed);
    }
}

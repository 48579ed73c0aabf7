//! Job files: from texts to one checked bundle, with every problem found, each at its line and column.
//!
//! A document holds one job, a list of jobs, a mapping of `jobs`, `calendars` and `namespace`, or one `flow`.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};

use schemars::{JsonSchema, schema_for};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::check::{duplicates, under};
use crate::document::{Document, Format, Limits, parse_documents};
use crate::{Bundle, ErrorCode, FlowSpec, JobSpec, Position, Problem, check_calendar, check_flow, check_job, shape};

mod remains;

use remains::LeftOut;

/// A text to be read as jobs.
#[derive(Debug, Clone, Copy)]
pub struct JobFile<'a> {
    /// How problems name it; `None` for standard input.
    pub name: Option<&'a str>,
    /// Its spelling.
    pub format: Format,
    /// The text.
    pub text: &'a [u8],
}

/// What job files said, as one bundle that knows where each part was written.
#[derive(Debug, Clone, Default)]
pub struct JobFiles {
    bundle: Bundle,
    /// Names of all files, in their order.
    names: Vec<Option<String>>,
    documents: Vec<Document>,
    /// What the bundle lacks of each document.
    left_out: Vec<LeftOut>,
    calendars: Vec<Origin>,
    jobs: Vec<Origin>,
    /// Flows, which are applied on their own.
    flows: Vec<FlowSpec>,
    flow_origins: Vec<Origin>,
    /// Namespaces that documents name.
    named: BTreeSet<String>,
    /// Files that hold something, which cannot be read.
    unreadable: BTreeSet<Option<String>>,
}

/// Where an item of the bundle was written.
#[derive(Debug, Clone)]
struct Origin {
    document: usize,
    pointer: String,
}

/// Reads job files as one bundle, in which each item names its namespace if anything does: itself, its
/// document, or `namespace`.
///
/// # Errors
/// Every problem of shape, name and policy, in the order of the files and their lines. Durations, zones,
/// cron expressions and other texts of schedules are not read here; whoever reads them points at the
/// bundle's values, and [`JobFiles::locate`] finds the line.
///
/// ```
/// use mainspring_api::{Format, JobFile, read_job_files};
/// let text = b"name: a\nschedule: '@daily'\nrnu: date\nretries: many\n";
/// let file = JobFile { name: Some("jobs.yaml"), format: Format::Yaml, text };
/// let shown: Vec<_> = read_job_files(&[file], None).unwrap_err().iter().map(ToString::to_string).collect();
/// assert_eq!(shown, [
///     "error[field.unknown]: unknown key \"rnu\"   --> jobs.yaml:3:1\n  hint: did you mean \"run\"?",
///     "error[field.type]: \"retries\" must be a whole number, not the text \"many\"   --> jobs.yaml:4:10",
/// ]);
/// ```
pub fn read_job_files(files: &[JobFile<'_>], namespace: Option<&str>) -> Result<JobFiles, Vec<Problem>> {
    let (read, problems) = survey_job_files(files, namespace);
    if problems.is_empty() { Ok(read) } else { Err(problems) }
}

/// Reads what can be read of job files, and says what is wrong with the rest, as [`read_job_files`] does.
///
/// Of an item whose shape is wrong in places the rest is read, so that whoever reads the texts of schedules can say
/// what is wrong with these as well: see [`JobFiles::with_further`].
pub fn survey_job_files(files: &[JobFile<'_>], namespace: Option<&str>) -> (JobFiles, Vec<Problem>) {
    let names = files.iter().map(|file| file.name.map(str::to_owned)).collect();
    let mut read = JobFiles { names, ..JobFiles::default() };
    let mut problems = Vec::new();
    for file in files {
        match parse_documents(file.name, file.text, file.format, Limits::FILE) {
            Ok(documents) => documents.into_iter().for_each(|document| read.add(document, namespace, &mut problems)),
            Err(found) => {
                read.unreadable.insert(file.name.map(str::to_owned));
                problems.extend(found);
            }
        }
    }
    read.name_empty();
    let problems = read.with_further(problems, duplicates(&read.bundle));
    (read, problems)
}

impl JobFile<'_> {
    /// Returns whether the text is well-formed and has no key of a job file: it is of another tool.
    ///
    /// ```
    /// use mainspring_api::{Format, JobFile};
    /// let is_foreign = |text: &str| JobFile { name: None, format: Format::Yaml, text: text.as_bytes() }.is_foreign();
    /// assert!(is_foreign("services: {web: {image: nginx}}"));
    /// assert!(!is_foreign("name: a\nrnu: date"), "a job with a slip");
    /// assert!(!is_foreign("flow: hum\ncomponents: {}"));
    /// ```
    pub fn is_foreign(&self) -> bool {
        let documents = parse_documents(self.name, self.text, self.format, Limits::FILE).unwrap_or_default();
        let known: HashSet<String> = shape::keys::<JobSpec>().into_iter().chain(shape::keys::<Bundle>()).collect();
        let has_known = |value: &Value| value.as_object().is_some_and(|all| all.keys().any(|key| known.contains(key)));
        let is_ours = |value: &Value| match value {
            Value::Array(items) => items.is_empty() || items.iter().any(has_known),
            value => has_known(value) || is_flow(value),
        };
        !documents.is_empty() && !documents.iter().any(|document| is_ours(&document.value))
    }
}

impl JobFiles {
    /// Returns the bundle.
    pub fn bundle(&self) -> &Bundle {
        &self.bundle
    }

    /// Returns the flows. Pointers to them begin with `/flows`.
    pub fn flows(&self) -> &[FlowSpec] {
        &self.flows
    }

    /// Gives up the places, and returns the bundle.
    pub fn into_bundle(self) -> Bundle {
        self.bundle
    }

    /// Returns where the value at a JSON pointer of the bundle was written.
    pub fn position(&self, pointer: &str) -> Option<Position> {
        let (index, pointer) = self.origin(pointer)?;
        self.documents[index].position(&pointer)
    }

    /// Adds to a problem that points at a value of the bundle where that was written.
    #[must_use]
    pub fn locate(&self, problem: Problem) -> Problem {
        let position = self
            .origin(&problem.pointer)
            .and_then(|(index, pointer)| place_of(&self.documents[index], &problem.code, &pointer));
        Problem { position: position.or(problem.position), ..problem }
    }

    /// Returns a warning for each file that holds nothing.
    pub fn empty(&self) -> Vec<Problem> {
        let holding: HashSet<_> = self.documents.iter().map(|document| &document.file).collect();
        let empty = self.names.iter().filter(|name| !holding.contains(name) && !self.unreadable.contains(*name));
        let warning = |name: &Option<String>| {
            let warning = Problem::new(ErrorCode::DocumentEmpty, "there is nothing in it");
            warning.position(Position { file: name.clone(), line: 1, column: 1 })
        };
        empty.map(warning).collect()
    }

    /// Adds problems that point at values of the bundle to those of a survey, each where it was written, in the order
    /// of the files and their lines. What is known already, or only follows from it, is left out.
    #[must_use]
    pub fn with_further(&self, mut problems: Vec<Problem>, further: Vec<Problem>) -> Vec<Problem> {
        let told = |problem: &Problem| (problem.code.clone(), problem.position.clone(), problem.message.clone());
        let known: HashSet<_> = problems.iter().map(told).collect();
        let further = further.into_iter().filter(|problem| !self.explains(problem)).map(|problem| self.locate(problem));
        problems.extend(further.filter(|problem| !known.contains(&told(problem))));
        let files: HashMap<_, _> = self.names.iter().enumerate().rev().map(|(index, name)| (name, index)).collect();
        problems.sort_by_cached_key(|problem| {
            let position = problem.position.as_ref();
            let file = position.and_then(|position| files.get(&position.file)).copied();
            (file, position.map(|position| (position.line, position.column)))
        });
        problems
    }

    fn explains(&self, problem: &Problem) -> bool {
        let found = self.origin(&problem.pointer);
        found.is_some_and(|(index, pointer)| self.left_out[index].explain(&problem.code, &pointer))
    }

    /// Finds the document of a pointer of the bundle (`/jobs/3/…`), and the pointer there.
    fn origin(&self, pointer: &str) -> Option<(usize, String)> {
        let mut tokens = pointer.splitn(4, '/').skip(1);
        let origins = match tokens.next()? {
            "jobs" => &self.jobs,
            "calendars" => &self.calendars,
            "flows" => &self.flow_origins,
            _ => return None,
        };
        let origin = origins.get(tokens.next()?.parse::<usize>().ok()?)?;
        let rest = tokens.next().map(|rest| format!("/{rest}")).unwrap_or_default();
        Some((origin.document, format!("{}{rest}", origin.pointer)))
    }

    /// Notes in the bundle the namespaces that documents name and list nothing of.
    fn name_empty(&mut self) {
        let calendars = self.bundle.calendars.iter().filter_map(|item| item.namespace.as_ref());
        let listed: HashSet<_> =
            self.bundle.jobs.iter().filter_map(|item| item.namespace.as_ref()).chain(calendars).collect();
        self.bundle.namespaces = self.named.iter().filter(|name| !listed.contains(name)).cloned().collect();
    }

    fn add(&mut self, document: Document, namespace: Option<&str>, problems: &mut Vec<Problem>) {
        let own = document.value["namespace"].as_str().filter(|_| is_bundle(&document.value));
        let further = document.value["namespaces"].as_array().filter(|_| is_bundle(&document.value));
        let further = further.into_iter().flatten().filter_map(|name| name.as_str());
        // Named also when nothing of it is listed: whoever empties a file means that.
        let named: Vec<String> = own.into_iter().chain(further).map(str::to_owned).collect();
        let names_none = named.is_empty() && is_bundle(&document.value);
        self.named.extend(named);
        let namespace = own.or(namespace).map(str::to_owned);
        let (index, before) = (self.documents.len(), self.bundle.jobs.len() + self.bundle.calendars.len());
        let mut reader = ItemReader::new(&document.value);
        for (pointer, mut item) in reader.items("calendars", check_calendar) {
            item.namespace = item.namespace.or_else(|| namespace.clone());
            self.bundle.calendars.push(item);
            self.calendars.push(Origin { document: index, pointer });
        }
        for (pointer, mut item) in reader.items("jobs", check_job) {
            item.namespace = item.namespace.or_else(|| namespace.clone());
            self.bundle.jobs.push(item);
            self.jobs.push(Origin { document: index, pointer });
        }
        for (pointer, mut item) in reader.items("flows", check_flow) {
            item.namespace = item.namespace.or_else(|| namespace.clone());
            self.flows.push(item);
            self.flow_origins.push(Origin { document: index, pointer });
        }
        // One that names nothing, and lists nothing of other namespaces, is an emptied file of the usual one.
        if names_none && self.bundle.jobs.len() + self.bundle.calendars.len() == before {
            self.named.extend(namespace);
        }
        problems.extend(reader.problems.into_iter().map(|problem| {
            let position = place_of(&document, &problem.code, &problem.pointer);
            Problem { position, ..problem }
        }));
        self.left_out.push(reader.left_out);
        self.documents.push(document);
    }
}

/// Reads the items of a document, without what is of the wrong shape.
struct ItemReader<'v> {
    value: Cow<'v, Value>,
    problems: Vec<Problem>,
    left_out: LeftOut,
}

impl<'v> ItemReader<'v> {
    fn new(value: &'v Value) -> Self {
        let (value, problems) = checked(value);
        Self { value, problems, left_out: LeftOut::default() }
    }

    /// Returns the items of a kind with their pointers, and keeps what is wrong with them beyond their shape.
    fn items<T: DeserializeOwned>(&mut self, kind: &str, check: fn(&T) -> Vec<Problem>) -> Vec<(String, T)> {
        // Of a list that is too long as a whole nothing is read.
        let refused = |problem: &Problem| problem.pointer.strip_prefix('/') == Some(kind);
        if self.problems.len() >= shape::PROBLEMS_MAX || self.problems.iter().any(refused) {
            return Vec::new();
        }
        let mut items = Vec::new();
        let pointers = item_pointers(&self.value, kind);
        let depth = pointers.first().map_or(0, |pointer| pointer.matches('/').count());
        let known = self.problems.clone();
        let mut of_items: HashMap<&str, Vec<&Problem>> = HashMap::new();
        known.iter().for_each(|problem| of_items.entry(head(&problem.pointer, depth)).or_default().push(problem));
        for pointer in pointers {
            let wrong = of_items.get(pointer.as_str()).map(Vec::as_slice).unwrap_or_default();
            let Some(value) = self.left_out.remains(&self.value, &pointer, wrong) else { continue };
            match T::deserialize(&*value) {
                Ok(item) => {
                    let inside = check(&item).into_iter().map(|problem| under(pointer.clone(), problem));
                    let own = inside.filter(|problem| !self.left_out.explain(&problem.code, &problem.pointer));
                    self.problems.extend(own);
                    items.push((pointer, item));
                }
                // Else what is wrong has been said.
                Err(error) if matches!(value, Cow::Borrowed(_)) => {
                    self.problems.push(Problem::new(ErrorCode::FieldValue, error.to_string()).at(pointer));
                }
                Err(_) => {}
            }
        }
        items
    }
}

/// The first tokens of a pointer.
fn head(pointer: &str, tokens: usize) -> &str {
    pointer.match_indices('/').nth(tokens).map_or(pointer, |(end, _)| &pointer[..end])
}

fn is_bundle(value: &Value) -> bool {
    ["jobs", "calendars", "namespaces"].iter().any(|key| value.get(key).is_some())
}

fn is_flow(value: &Value) -> bool {
    value.get("flow").is_some()
}

fn checked(value: &Value) -> (Cow<'_, Value>, Vec<Problem>) {
    match value {
        value if is_flow(value) => shape::checked::<FlowSpec>(value),
        Value::Array(_) => shape::checked::<Vec<JobSpec>>(value),
        value if is_bundle(value) => shape::checked::<Bundle>(value),
        value => shape::checked::<JobSpec>(value),
    }
}

/// Returns where the jobs or calendars of a document are.
fn item_pointers(value: &Value, kind: &str) -> Vec<String> {
    let (list, prefix) = match value {
        value if is_flow(value) || kind == "flows" => {
            return if is_flow(value) && kind == "flows" { vec![String::new()] } else { Vec::new() };
        }
        Value::Array(_) if kind == "jobs" => (Some(value), String::new()),
        value if is_bundle(value) => (value.get(kind), format!("/{kind}")),
        Value::Object(_) if kind == "jobs" => return vec![String::new()],
        _ => (None, String::new()),
    };
    let count = list.and_then(Value::as_array).map_or(0, Vec::len);
    (0..count).map(|index| format!("{prefix}/{index}")).collect()
}

/// Unknown keys are shown at the key, everything else at the value.
fn place_of(document: &Document, code: &str, pointer: &str) -> Option<Position> {
    let is_about_key = [ErrorCode::FieldUnknown, ErrorCode::FieldLater].iter().any(|about| about.as_str() == code);
    if is_about_key { document.key_position(pointer) } else { document.position(pointer) }
}

/// What a document may hold; for the schema only.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(title = "mainspring job file")]
#[expect(dead_code, reason = "describes job files to editors; nothing is made of it")]
#[expect(clippy::large_enum_variant, reason = "nothing is made of it")]
enum JobDocument {
    /// One job.
    Job(JobSpec),
    /// Jobs and calendars.
    Bundle(Bundle),
    /// A list of jobs.
    Jobs(Vec<JobSpec>),
}

/// Returns the JSON Schema of job files, for editors. It is kept in `docs/reference/job.schema.json`.
pub fn json_schema() -> String {
    let schema = schema_for!(JobDocument).to_value();
    let mut text = serde_json::to_string_pretty(&schema).expect("a schema is plain JSON");
    text.push('\n');
    text
}

/// Returns the JSON Schema of flow files, for editors. It is kept in `docs/reference/flow.schema.json`.
pub fn flow_json_schema() -> String {
    let schema = schema_for!(FlowSpec).to_value();
    let mut text = serde_json::to_string_pretty(&schema).expect("a schema is plain JSON");
    text.push('\n');
    text
}

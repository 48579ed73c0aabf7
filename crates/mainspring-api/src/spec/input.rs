//! What whoever starts a run gives with it, against what the job declares.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{JobSpec, ParamSpec, ParamType};
use crate::document::{escape, shorten};
use crate::{ErrorCode, Problem, did_you_mean};

impl JobSpec {
    /// Returns everything that is wrong with the input of a run that is asked for. Pointers are those of
    /// [`RunNow`](crate::RunNow).
    ///
    /// A job without `params` takes anything. Any other takes its parameters, with the types and values that it
    /// declares, and members of its own input.
    ///
    /// ```
    /// use std::collections::BTreeMap;
    /// use serde_json::json;
    /// let spec: mainspring_api::JobSpec = serde_json::from_value(json!({
    ///     "name": "a", "run": "report", "params": {"region": {"enum": ["eu", "us"]}},
    /// }))?;
    /// let given = BTreeMap::from([("regoin".to_owned(), json!("eu")), ("region".to_owned(), json!("asia"))]);
    /// let problems = spec.check_input(None, &given);
    /// let found: Vec<_> = problems.iter().map(|it| (it.code.as_str(), it.pointer.as_str())).collect();
    /// assert_eq!(found, [("param.value", "/params/region"), ("param.unknown", "/params/regoin")]);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn check_input(&self, input: Option<&Value>, params: &BTreeMap<String, Value>) -> Vec<Problem> {
        let none = Map::new();
        let members = match self.members_of(input, params) {
            Ok(members) => members.unwrap_or(&none),
            Err(problem) => return vec![*problem],
        };
        if self.params.is_empty() {
            return Vec::new();
        }
        let own = self.input.as_ref().and_then(Value::as_object).unwrap_or(&none);
        let of_input = self.check_members(members, own);
        let of_params = self.check_each("params", params.iter());
        let has = |name: &String| params.contains_key(name) || members.contains_key(name) || own.contains_key(name);
        let missing = self.params.iter().filter(|(name, param)| param.is_missing() && !has(name));
        let missing = missing.map(|(name, _)| {
            let message = format!("job \"{}\" wants parameter \"{name}\"", self.name);
            Problem::new(ErrorCode::ParamMissing, message).at(format!("/params/{}", escape(name)))
        });
        of_input.chain(of_params).chain(missing).collect()
    }

    /// Returns what is wrong with the members that a trigger gives to its runs. What the runs lack is not looked for: that is said
    /// once for the job.
    pub(crate) fn check_given(&self, input: Option<&Value>) -> Vec<Problem> {
        let none = Map::new();
        match self.members_of(input, &BTreeMap::new()) {
            Ok(Some(members)) if !self.params.is_empty() => {
                let own = self.input.as_ref().and_then(Value::as_object).unwrap_or(&none);
                self.check_members(members, own).collect()
            }
            Ok(_) => Vec::new(),
            Err(problem) => vec![*problem],
        }
    }

    /// Returns the members of an input, unless it has none; refuses one that cannot have any where parameters are given.
    fn members_of<'v>(
        &self,
        input: Option<&'v Value>,
        params: &BTreeMap<String, Value>,
    ) -> Result<Option<&'v Map<String, Value>>, Box<Problem>> {
        match input {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Object(members)) => Ok(Some(members)),
            Some(_) if params.is_empty() && self.params.is_empty() => Ok(None),
            Some(_) => {
                let message = "parameters are members of the input, so it must be a mapping";
                Err(Box::new(Problem::new(ErrorCode::FieldType, message).at("/input")))
            }
        }
    }

    fn check_members<'v>(
        &'v self,
        members: &'v Map<String, Value>,
        own: &'v Map<String, Value>,
    ) -> impl Iterator<Item = Problem> + 'v {
        let strangers = members.iter().filter(|(name, _)| self.params.contains_key(*name) || !own.contains_key(*name));
        self.check_each("input", strangers)
    }

    /// Returns what is wrong with the first values, and advice for the first few: a name is compared with those of all parameters.
    fn check_each<'v>(
        &'v self,
        place: &'v str,
        values: impl Iterator<Item = (&'v String, &'v Value)> + 'v,
    ) -> impl Iterator<Item = Problem> + 'v {
        let wrong = values.filter_map(move |(name, value)| Some((name, self.check_param(place, name, value)?)));
        wrong.take(PROBLEMS_MAX).enumerate().map(|(index, (name, problem))| {
            let is_advised = index < HINTS_MAX && !self.params.contains_key(name);
            if is_advised { problem.hint(self.known_beside(name)) } else { problem }
        })
    }

    /// Says which parameters there are in place of a name.
    fn known_beside(&self, name: &str) -> String {
        let names = || self.params.keys().map(String::as_str);
        let all = || format!("its parameters are {}", listed(names().map(str::to_owned)));
        did_you_mean(name, names()).unwrap_or_else(all)
    }

    fn check_param(&self, place: &str, name: &str, value: &Value) -> Option<Problem> {
        let pointer = format!("/{place}/{}", escape(name));
        let wrong = |code, message| Some(Problem::new(code, message).at(pointer.clone()));
        let shown = shorten(&value.to_string());
        let Some(param) = self.params.get(name) else {
            let message = format!("job \"{}\" has no parameter \"{}\"", self.name, shorten(name));
            return wrong(ErrorCode::ParamUnknown, message);
        };
        if let Some(kind) = param.kind.filter(|kind| !kind.accepts(value)) {
            let message = format!("parameter \"{name}\" must be {}, not {shown}", kind.in_words());
            return wrong(ErrorCode::ParamType, message);
        }
        if !param.accepts(value) {
            let allowed = listed(param.values.iter().map(|value| shorten(&value.to_string())));
            let message = format!("parameter \"{name}\" is {shown}, not one of {allowed}");
            return wrong(ErrorCode::ParamValue, message);
        }
        None
    }
}

/// Problems of parameters that are said.
const PROBLEMS_MAX: usize = 100;
/// How many of them come with the nearest name.
const HINTS_MAX: usize = 5;

/// Lists words, and says how many more there are.
fn listed(words: impl Iterator<Item = String>) -> String {
    const SHOWN: usize = 20;
    let mut words: Vec<_> = words.collect();
    let more = words.len().saturating_sub(SHOWN);
    words.truncate(SHOWN);
    let list = words.join(", ");
    if more > 0 { format!("{list} and {more} more") } else { list }
}

impl ParamSpec {
    /// Tells whether a run that says nothing of it has no value that it wants.
    pub(crate) fn is_missing(&self) -> bool {
        self.required && self.default.is_none()
    }
}

impl ParamType {
    fn in_words(self) -> &'static str {
        match self {
            Self::String => "text",
            Self::Integer => "a whole number",
            Self::Number => "a number",
            Self::Boolean => "true or false",
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_given_fits_what_is_declared() {
        let none = json!(null);
        let region = json!({"region": {"type": "string", "required": true}, "n": {"type": "integer", "enum": [1, 2]}});
        let cases = [
            // job's params, its input, given input, given params, what is wrong
            (json!({}), none.clone(), json!(5), json!({}), vec![]),
            (json!({}), none.clone(), json!(5), json!({"a": 1}), vec!["field.type /input"]),
            (json!({}), none.clone(), json!({"a": 1}), json!({"b": 1}), vec![]),
            (region.clone(), none.clone(), none.clone(), json!({}), vec!["param.missing /params/region"]),
            (region.clone(), json!({"region": "eu"}), none.clone(), json!({}), vec![]),
            (region.clone(), none.clone(), json!({"region": "eu"}), json!({}), vec![]),
            (region.clone(), none.clone(), json!([1]), json!({}), vec!["field.type /input"]),
            (
                region.clone(),
                json!({"own": 1}),
                json!({"own": 2, "other": 3, "n": 1.5}),
                json!({"region": 5, "n": 3, "x/y": 1}),
                vec![
                    "param.type /input/n",
                    "param.unknown /input/other",
                    "param.value /params/n",
                    "param.type /params/region",
                    "param.unknown /params/x~1y",
                ],
            ),
        ];
        for (declared, own, input, params, expected) in cases {
            let mut spec: JobSpec = serde_json::from_value(json!({"name": "a", "noop": true})).unwrap();
            spec.params = serde_json::from_value(declared.clone()).unwrap();
            spec.input = Some(own);
            let problems = spec.check_input(Some(&input), &serde_json::from_value(params.clone()).unwrap());
            let found: Vec<_> = problems.iter().map(|it| format!("{} {}", it.code, it.pointer)).collect();
            assert_eq!(found, expected, "{declared} {input} {params}");
        }
    }

    #[test]
    fn an_unknown_parameter_is_told_what_there_is() {
        let spec: JobSpec =
            serde_json::from_value(json!({"name": "a", "noop": true, "params": {"region": {}, "n": {}}})).unwrap();
        for (name, hint) in [("regoin", "did you mean \"region\"?"), ("zzz", "its parameters are n, region")] {
            let problems = spec.check_input(None, &BTreeMap::from([(name.to_owned(), json!(1))]));
            assert_eq!(problems[0].hint.as_deref(), Some(hint));
        }
        // Whoever gives many must not choose how often names are compared.
        let many: serde_json::Map<String, Value> = (0..200).map(|index| (format!("regoin{index}"), json!(1))).collect();
        let problems = spec.check_input(Some(&many.into()), &BTreeMap::new());
        let advised = problems.iter().filter(|problem| problem.hint.is_some()).count();
        assert_eq!((problems.len(), advised), (100, 5));
    }
}

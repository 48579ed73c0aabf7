//! The input of a run: the job's, with the parameters of whoever starts it.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::JobSpec;
use crate::document::{escape, shorten};
use crate::{ErrorCode, Problem, did_you_mean};

impl JobSpec {
    /// Returns the input of a run that is started with `input` in place of the job's, and `params` set in it.
    ///
    /// Defaults of the job's parameters stand where neither says anything. Scheduled runs have neither.
    ///
    /// # Errors
    /// Parameters that the job does not declare, when it declares any; values that a parameter does not
    /// take; parameters where the input is not a mapping. Pointers are those of [`RunNow`](crate::RunNow).
    ///
    /// ```
    /// use std::collections::BTreeMap;
    /// use serde_json::json;
    /// let spec: mainspring_api::JobSpec = serde_json::from_value(json!({
    ///     "name": "a", "run": "report", "input": {"x": 1},
    ///     "params": {"region": {"enum": ["eu", "us"], "default": "eu"}},
    /// }))?;
    /// assert_eq!(spec.input_with(None, &BTreeMap::new()).unwrap(), Some(json!({"region": "eu", "x": 1})));
    ///
    /// let asia = BTreeMap::from([("region".to_owned(), json!("asia"))]);
    /// let problems = spec.input_with(None, &asia).unwrap_err();
    /// assert_eq!(problems[0].message, "parameter \"region\" cannot be \"asia\"");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn input_with(
        &self,
        input: Option<&Value>,
        params: &BTreeMap<String, Value>,
    ) -> Result<Option<Value>, Vec<Problem>> {
        let input = input.or(self.input.as_ref());
        let declared = self.params.iter().filter_map(|(name, param)| Some((name, param.default.as_ref()?)));
        let mut members: Map<String, Value> = declared.map(|(name, value)| (name.clone(), value.clone())).collect();
        match input {
            Some(Value::Object(own)) => members.extend(own.clone()),
            None => {}
            Some(_) if params.is_empty() && members.is_empty() => return Ok(input.cloned()),
            Some(_) => {
                let message = "parameters are members of the input, so it must be a mapping";
                return Err(vec![Problem::new(ErrorCode::FieldType, message).at("/input")]);
            }
        }
        members.extend(params.clone());
        let problems: Vec<_> = self.param_problems(params, &members).collect();
        match problems.is_empty() {
            true if members.is_empty() => Ok(input.cloned()),
            true => Ok(Some(Value::Object(members))),
            false => Err(problems),
        }
    }

    fn param_problems<'a>(
        &'a self,
        params: &'a BTreeMap<String, Value>,
        members: &'a Map<String, Value>,
    ) -> impl Iterator<Item = Problem> + 'a {
        let is_unknown = |name: &&String| !self.params.is_empty() && !self.params.contains_key(*name);
        let unknown = params.keys().filter(is_unknown).map(|name| {
            let message = format!("job \"{}\" has no parameter \"{}\"", self.name, shorten(name));
            let problem = Problem::new(ErrorCode::FieldUnknown, message).at(format!("/params/{}", escape(name)));
            Problem { hint: did_you_mean(name, self.params.keys().map(String::as_str)), ..problem }
        });
        let values = self.params.iter().filter_map(|(name, param)| Some((name, param, members.get(name)?)));
        let refused = values.filter(|(_, param, value)| !param.accepts(value)).map(|(name, _, value)| {
            let message = format!("parameter \"{name}\" cannot be {}", shorten(&value.to_string()));
            let place = if params.contains_key(name) { "params" } else { "input" };
            Problem::new(ErrorCode::FieldValue, message).at(format!("/{place}/{}", escape(name)))
        });
        unknown.chain(refused)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn input_is_made_of_defaults_then_the_job_then_the_caller() {
        let none = json!(null);
        let cases = [
            (json!({}), none.clone(), json!({}), Ok(none.clone())),
            (json!({"input": 5}), none.clone(), json!({}), Ok(json!(5))),
            (json!({"input": 5}), json!([1]), json!({}), Ok(json!([1]))),
            (json!({"input": 5}), none.clone(), json!({"a": 1}), Err("/input")),
            (json!({"input": {"a": 1, "b": 2}}), none.clone(), json!({"a": 3}), Ok(json!({"a": 3, "b": 2}))),
            (json!({"input": {"a": 1}}), json!({"b": 2}), json!({}), Ok(json!({"b": 2}))),
            (json!({"params": {"a": {"default": 1}}}), none.clone(), json!({}), Ok(json!({"a": 1}))),
            (json!({"params": {"a": {"default": 1}}, "input": {"a": 2}}), none.clone(), json!({}), Ok(json!({"a": 2}))),
            (json!({"params": {"a": {}}}), none.clone(), json!({"b": 1}), Err("/params/b")),
            (json!({"params": {"a": {"type": "string"}}}), none.clone(), json!({"a": 1}), Err("/params/a")),
            (json!({"params": {"a": {"type": "string"}}}), json!({"a": 1}), json!({}), Err("/input/a")),
        ];
        for (job, input, params, expected) in cases {
            let mut spec: JobSpec = serde_json::from_value(json!({"name": "a", "noop": true})).unwrap();
            spec.input = job.get("input").cloned();
            spec.params = serde_json::from_value(job.get("params").cloned().unwrap_or(json!({}))).unwrap();
            let params = serde_json::from_value(params).unwrap();
            let made = spec.input_with(Some(&input).filter(|input| !input.is_null()), &params);
            match (made, expected) {
                (Ok(made), Ok(expected)) => assert_eq!(made.unwrap_or_default(), expected, "{job}"),
                (Err(problems), Err(pointer)) => assert_eq!(problems[0].pointer, pointer, "{job}"),
                (made, expected) => panic!("{job}: {made:?}, not {expected:?}"),
            }
        }
    }
}

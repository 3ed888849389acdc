//! The fields of a request, and their checks, with the messages of the package in Python.

use serde_json::{Map, Value};

use super::problem::{Answer, Problem};

/// The most seconds that may be asked for: some thirty years.
const MOST_SECONDS: f64 = 1e9;

/// A request: a verb, and its fields.
pub struct Request {
    fields: Map<String, Value>,
}

impl Request {
    /// Reads a request.
    ///
    /// # Errors
    ///
    /// `UsageError` if the text is no JSON object.
    pub fn read(text: &[u8]) -> Answer<Self> {
        match serde_json::from_slice(text) {
            Ok(Value::Object(fields)) => Ok(Self { fields }),
            Ok(_) => Err(Problem::usage("the request is no JSON object; give one with a verb")),
            Err(error) => Err(Problem::usage(format!("the request is no JSON: {error}"))),
        }
    }

    /// A field; `None` if it is left out or null.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.fields.get(name).filter(|value| !value.is_null())
    }

    /// Takes a field out of the request; `None` if it is left out or null.
    pub fn take(&mut self, name: &str) -> Option<Value> {
        self.fields.remove(name).filter(|value| !value.is_null())
    }

    /// A field that is a text; `None` if it is left out.
    pub fn text(&self, name: &str) -> Answer<Option<&str>> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let text = value.as_str().ok_or_else(|| Problem::usage(format!("{name} is {}; give a text", shown(value))));
        text.map(Some)
    }

    /// A field that is a list of texts; an empty list if it is left out.
    pub fn texts(&self, name: &str) -> Answer<Vec<&str>> {
        let Some(value) = self.get(name) else { return Ok(Vec::new()) };
        let texts = value.as_array().and_then(|all| all.iter().map(Value::as_str).collect());
        texts.ok_or_else(|| Problem::usage(format!("{name} is {}; give a list of texts", shown(value))))
    }

    /// A field that is a whole number from `least` to `most`; `None` if it is left out.
    pub fn number(&self, name: &str, least: u64, most: u64) -> Answer<Option<u64>> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let number = value.as_u64().filter(|number| (least..=most).contains(number)).ok_or_else(|| {
            Problem::usage(format!("{name} is {}; give a whole number from {least} to {most}", shown(value)))
        });
        number.map(Some)
    }

    /// A field that is a number of seconds; `None` if it is left out.
    pub fn seconds(&self, name: &str) -> Answer<Option<f64>> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let seconds = value.as_f64().filter(|&seconds| seconds > 0.0 && seconds <= MOST_SECONDS).ok_or_else(|| {
            let most = MOST_SECONDS as u64;
            Problem::usage(format!("{name} is {}; give a number of seconds above 0, up to {most}", shown(value)))
        });
        seconds.map(Some)
    }

    /// A field that is true or false; false if it is left out.
    pub fn flag(&self, name: &str) -> Answer<bool> {
        let Some(value) = self.get(name) else { return Ok(false) };
        value.as_bool().ok_or_else(|| Problem::usage(format!("{name} is {}; give true or false", shown(value))))
    }
}

/// A value as the package in Python writes it in a sentence.
pub fn shown(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => quoted(text),
        Value::Array(items) => format!("[{}]", items.iter().map(shown).collect::<Vec<_>>().join(", ")),
        Value::Object(fields) => {
            let fields: Vec<_> =
                fields.iter().map(|(name, value)| format!("{}: {}", quoted(name), shown(value))).collect();
            format!("{{{}}}", fields.join(", "))
        }
    }
}

/// A text in quotation marks, as Python writes it.
fn quoted(text: &str) -> String {
    let mark = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut written = String::from(mark);
    for c in text.chars() {
        match c {
            '\\' => written.push_str("\\\\"),
            '\n' => written.push_str("\\n"),
            '\r' => written.push_str("\\r"),
            '\t' => written.push_str("\\t"),
            c if c == mark => written.extend(['\\', c]),
            c if (c as u32) < 32 || c as u32 == 127 => written.extend(escaped(c)),
            c => written.push(c),
        }
    }
    written.push(mark);
    written
}

/// A control character as Python escapes it: `\x01`.
fn escaped(c: char) -> [char; 4] {
    let digit = |value: u32| char::from_digit(value, 16).unwrap_or('0');
    ['\\', 'x', digit(c as u32 / 16), digit(c as u32 % 16)]
}

/// A number with a comma between thousands.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut written = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            written.push(',');
        }
        written.push(digit);
    }
    written
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_written_as_python_writes_them() {
        assert_eq!(shown(&json!([1, "a'b", null, true, {"x": -1.5}])), r#"[1, "a'b", None, True, {'x': -1.5}]"#);
        assert_eq!(shown(&json!("a'\"\n\u{1}")), r#"'a\'"\n\x01'"#);
        assert_eq!([0, 999, 1000, 12_345_678].map(grouped), ["0", "999", "1,000", "12,345,678"]);
    }

    #[test]
    fn fields_are_checked() {
        let request = Request::read(br#"{"n": 5, "t": "x", "l": ["a", 1], "s": 0, "none": null}"#).unwrap();
        assert_eq!(request.number("n", 1, 5).unwrap(), Some(5));
        assert_eq!(request.number("none", 1, 5).unwrap(), None);
        let wrong = |problem: Problem| problem.message().to_owned();
        assert_eq!(wrong(request.number("n", 1, 4).unwrap_err()), "n is 5; give a whole number from 1 to 4");
        assert_eq!(wrong(request.number("t", 1, 4).unwrap_err()), "t is 'x'; give a whole number from 1 to 4");
        assert_eq!(wrong(request.texts("l").unwrap_err()), "l is ['a', 1]; give a list of texts");
        let seconds = wrong(request.seconds("s").unwrap_err());
        assert_eq!(seconds, "s is 0; give a number of seconds above 0, up to 1000000000");
        assert!(wrong(Request::read(b"[").err().unwrap()).starts_with("the request is no JSON: EOF"));
        assert!(Request::read(b"[]").is_err() && Request::read(&[0xff]).is_err());
    }
}

//! The statements between `%{` and `}%`: the little of Python that scripts use. Assignments,
//! `assert` and `print`, with numbers, comparisons and `and`, `or`, `not`.

mod tokens;

use crate::problem::Problem;
use std::collections::HashMap;
use tokens::{Token, tokens};

/// Values by name. All are numbers; what is true is 1.
pub(crate) type Variables = HashMap<String, f64>;

/// Executes statements that stand at `line` of a script.
pub(crate) fn execute(text: &str, line: usize, variables: &mut Variables) -> Result<(), Problem> {
    for statement in tokens(text, line)? {
        let mut reader = Reader {
            tokens: &statement.tokens,
            line: statement.line,
            variables,
            used: Vec::new(),
            depth: 0,
        };
        reader.statement()?;
        if let Some(token) = reader.tokens.first() {
            return Err(reader.problem(format!("`{token}` was not expected here")));
        }
    }
    Ok(())
}

/// Whether two numbers compare in some way.
type Comparison = fn(&f64, &f64) -> bool;

/// Reads and executes one statement.
struct Reader<'a> {
    tokens: &'a [Token],
    line: usize,
    variables: &'a mut Variables,
    /// The variables that it has looked up.
    used: Vec<(String, f64)>,
    /// Of what is being read.
    depth: usize,
}

/// Parentheses, signs and negations within each other: deeper ones would overflow the stack.
const DEEPEST: usize = 100;

impl Reader<'_> {
    fn problem(&self, message: impl Into<String>) -> Problem {
        Problem::new(self.line, message)
    }

    /// Passes over this symbol or name if it comes next.
    fn eat(&mut self, symbol: &str) -> bool {
        let found = self.tokens.first().is_some_and(|token| token.is(symbol));
        if found {
            self.tokens = &self.tokens[1..];
        }
        found
    }

    fn statement(&mut self) -> Result<(), Problem> {
        if self.eat("assert") {
            return self.assertion();
        }
        if self.eat("print") {
            // Nobody reads what a script prints.
            self.tokens = &[];
            return Ok(());
        }
        let [Token::Name(name), Token::Symbol(operator), rest @ ..] = self.tokens else {
            return Err(self.problem("expected an assignment, `assert` or `print`"));
        };
        self.tokens = rest;
        let value = self.any_of()?;
        let before = self.variables.get(name).copied();
        let value = match (*operator, before) {
            ("=", _) => value,
            ("+=", Some(before)) => before + value,
            ("-=", Some(before)) => before - value,
            ("+=" | "-=", None) => return Err(self.problem(format!("`{name}` has no value"))),
            _ => return Err(self.problem(format!("`{operator}` is not an assignment"))),
        };
        self.variables.insert(name.clone(), value);
        Ok(())
    }

    /// Text behind a comma is for the reader.
    fn assertion(&mut self) -> Result<(), Problem> {
        let all = self.tokens;
        let holds = self.any_of()? != 0.0;
        let condition = &all[..all.len() - self.tokens.len()];
        if self.tokens.first().is_some_and(|token| token.is(",")) {
            self.tokens = &[];
        }
        if holds {
            return Ok(());
        }
        let condition: Vec<String> = condition.iter().map(Token::to_string).collect();
        let values = self
            .used
            .iter()
            .map(|(name, value)| format!("{name} is {value}"));
        let values: Vec<String> = values.collect();
        let message = format!(
            "`{}` does not hold: {}",
            condition.join(" "),
            values.join(", ")
        );
        Err(self.problem(message))
    }

    fn any_of(&mut self) -> Result<f64, Problem> {
        let mut value = self.all_of()?;
        while self.eat("or") {
            let other = self.all_of()?;
            value = truth(value != 0.0 || other != 0.0);
        }
        Ok(value)
    }

    fn all_of(&mut self) -> Result<f64, Problem> {
        let mut value = self.inversion()?;
        while self.eat("and") {
            let other = self.inversion()?;
            value = truth(value != 0.0 && other != 0.0);
        }
        Ok(value)
    }

    fn inversion(&mut self) -> Result<f64, Problem> {
        if self.eat("not") {
            return self
                .deeper(Self::inversion)
                .map(|value| truth(value == 0.0));
        }
        self.comparison()
    }

    /// `a < b < c` is `a < b and b < c`.
    fn comparison(&mut self) -> Result<f64, Problem> {
        let mut left = self.sum()?;
        let mut result = None;
        while let Some(compare) = self.comparator() {
            let right = self.sum()?;
            result = Some(result.unwrap_or(true) && compare(&left, &right));
            left = right;
        }
        Ok(result.map_or(left, truth))
    }

    fn comparator(&mut self) -> Option<Comparison> {
        let comparators: [(&str, Comparison); 6] = [
            ("==", f64::eq),
            ("!=", f64::ne),
            ("<=", f64::le),
            (">=", f64::ge),
            ("<", f64::lt),
            (">", f64::gt),
        ];
        let found = comparators.iter().find(|(symbol, _)| self.eat(symbol));
        found.map(|(_, compare)| *compare)
    }

    fn sum(&mut self) -> Result<f64, Problem> {
        let mut value = self.product()?;
        loop {
            if self.eat("+") {
                value += self.product()?;
            } else if self.eat("-") {
                value -= self.product()?;
            } else {
                return Ok(value);
            }
        }
    }

    fn product(&mut self) -> Result<f64, Problem> {
        let mut value = self.atom()?;
        loop {
            if self.eat("*") {
                value *= self.atom()?;
            } else if self.eat("//") {
                value = (value / self.atom()?).floor();
            } else if self.eat("/") {
                value /= self.atom()?;
            } else if self.eat("%") {
                value %= self.atom()?;
            } else {
                return Ok(value);
            }
        }
    }

    fn atom(&mut self) -> Result<f64, Problem> {
        if self.eat("-") {
            return self.deeper(Self::atom).map(|value| -value);
        }
        if self.eat("(") {
            let value = self.deeper(Self::any_of)?;
            return match self.eat(")") {
                true => Ok(value),
                false => Err(self.problem("expected `)`")),
            };
        }
        let Some((token, rest)) = self.tokens.split_first() else {
            return Err(self.problem("expected a value"));
        };
        self.tokens = rest;
        match token {
            Token::Number(number) => Ok(*number),
            Token::Name(name) => self.value_of(name),
            other => Err(self.problem(format!("`{other}` is not a value"))),
        }
    }

    fn deeper(&mut self, read: fn(&mut Self) -> Result<f64, Problem>) -> Result<f64, Problem> {
        if self.depth == DEEPEST {
            return Err(self.problem(format!("nested more than {DEEPEST} deep")));
        }
        self.depth += 1;
        let value = read(self);
        self.depth -= 1;
        value
    }

    fn value_of(&mut self, name: &str) -> Result<f64, Problem> {
        let value = match name {
            "True" => Some(1.0),
            "False" => Some(0.0),
            _ => self.variables.get(name).copied(),
        };
        let value = value.ok_or_else(|| self.problem(format!("`{name}` is not known here")))?;
        if name.starts_with(|c: char| c.is_lowercase()) && !self.used.iter().any(|u| u.0 == name) {
            self.used.push((name.to_string(), value));
        }
        Ok(value)
    }
}

fn truth(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(text: &str) -> Result<Variables, Problem> {
        let mut variables = Variables::from([("tcpi_snd_cwnd".to_string(), 10.0)]);
        execute(text, 7, &mut variables)?;
        Ok(variables)
    }

    #[test]
    fn what_nests_too_deeply_is_refused_and_does_not_overflow_the_stack() {
        for (open, close) in [("(", ")"), ("-", ""), ("not ", "")] {
            let nested = |depth| format!("x = {}1{}", open.repeat(depth), close.repeat(depth));
            assert!(after(&nested(100)).is_ok());
            let refused = after(&nested(20_000)).unwrap_err();
            assert_eq!(refused.message, "nested more than 100 deep");
        }
    }

    fn problem(text: &str) -> String {
        after(text).unwrap_err().to_string()
    }

    #[test]
    fn an_assertion_that_holds_reports_nothing() {
        for text in [
            "assert tcpi_snd_cwnd == 10, tcpi_snd_cwnd",
            "assert tcpi_snd_cwnd == 10, 'cwnd=%d' % tcpi_snd_cwnd  # the initial window",
            "assert 9 < tcpi_snd_cwnd <= 10 and not tcpi_snd_cwnd == 11",
            "assert tcpi_snd_cwnd \\\n == 10; \\\nassert 1",
            "assert (2 + 3) * 4 - 7 // 2 == 0x11 or False\nprint(tcpi_snd_cwnd)",
        ] {
            assert!(after(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn an_assertion_that_does_not_hold_reports_the_values() {
        assert_eq!(
            problem("a = 1\nassert tcpi_snd_cwnd == 9, tcpi_snd_cwnd"),
            "8: `tcpi_snd_cwnd == 9` does not hold: tcpi_snd_cwnd is 10"
        );
    }

    #[test]
    fn a_variable_keeps_its_value() {
        let variables = after("cwnd = 58; cwnd += 1").unwrap();
        assert_eq!(variables["cwnd"], 59.0);
    }

    #[test]
    fn what_is_not_understood_is_named() {
        for (text, message) in [
            ("assert tcpi_odd == 1", "7: `tcpi_odd` is not known here"),
            ("cwnd += 1", "7: `cwnd` has no value"),
            ("for", "7: expected an assignment, `assert` or `print`"),
            ("a = 1 2", "7: `2` was not expected here"),
            ("a = $", "7: `$` is not interpreted"),
        ] {
            assert_eq!(problem(text), message);
        }
    }
}

//! Answers to what a page requests of a path.

use crate::given::Given;
use crate::page::frame::{Tail, frame};
use crate::page::head::Head;
use crate::page::lines::Traced;
use crate::page::requests::{CompareRequest, PacketsRequest};
use crate::page::view::View;
use crate::page::{limits, packets};
use crate::part::encode;
use crate::refusal::suggest;
use crate::rows::Row;
use crate::settings::Settings;
use crate::{Custom, Failure, Finished, Refusal, Run, Runs, words};
use flowstart_sim::record::journeys::{Journeys, JourneysRequest};
use flowstart_sim::record::lines::LinesRequest;
use serde::Serialize;
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// Flows of a startup whose rows and lines are answered at most; the table is of all of them.
const MOST_FLOWS: usize = 4;
/// Flows of all startups together, as far as each startup has one.
const MOST_LINES: usize = 12;
/// Columns times flows. With more, bins are wider, so that an answer stays below some 150 kB.
const MOST_BINS: usize = 2900;
/// Comparisons that are kept, so that a part of one is shown without running all of it again.
const MOST_KEPT: usize = 16;

/// What one page answers.
pub struct Page {
    settings: Settings,
    kept: Mutex<VecDeque<(Given, Arc<Comparison>)>>,
}

/// What startups came to.
struct Comparison {
    table: Head,
    /// The rows of the flows that are shown, with the startup of each.
    shown: Vec<(String, Row)>,
}

/// The JSON of an answer.
#[derive(Serialize)]
struct Answer<'a> {
    #[serde(flatten)]
    table: &'a Head,
    from_s: f64,
    bin_s: f64,
    trajectories: Vec<Value>,
}

impl Page {
    /// A page with these settings.
    pub fn new(settings: Settings) -> Page {
        Page {
            settings,
            kept: Mutex::default(),
        }
    }

    /// The options of a state by name, with values of their types, as JSON.
    ///
    /// # Errors
    ///
    /// An option is unknown, or its value has the wrong type.
    pub fn typed(&self, given: &Value) -> Result<String, Refusal> {
        let given = Given::read(given, &self.settings)?;
        Ok(serde_json::to_string(&given).expect("options are text"))
    }

    /// The startups in Python that take part in a request, as far as they may.
    pub fn custom(&self, request: &[u8]) -> Vec<String> {
        let request: Value = serde_json::from_slice(request).unwrap_or_default();
        let given = Given::read(&request["given"], &self.settings).unwrap_or_default();
        let texts = given.list("startup").unwrap_or_default();
        let names = texts.iter().flat_map(|text| words::split(text));
        names
            .filter(|name| self.settings.custom.contains(name))
            .collect()
    }

    /// Checks that a state can be compared.
    ///
    /// # Errors
    ///
    /// It is wrong, or more than an answer may cost.
    pub fn check(&self, given: &Value, custom: &Custom) -> Result<(), Refusal> {
        let given = Given::read(given, &self.settings)?;
        View::of(given, &self.settings)?.runs(custom).map(|_| ())
    }

    /// The table, and what every startup did over time: a frame of JSON and numbers.
    ///
    /// # Errors
    ///
    /// The request is wrong, or its runs were ended.
    pub fn compare<E>(
        &self,
        request: &[u8],
        custom: &Custom,
        runs: &mut Runs<'_, E>,
    ) -> Result<Vec<u8>, Failure<E>> {
        let request = CompareRequest::read(request, &self.settings)?;
        let view = View::of(request.given.clone(), &self.settings)?;
        let mut wanted = view.runs(custom)?;
        record_lines(&mut wanted, &request, &view)?;
        let resolved: Vec<Value> = wanted.iter().map(limits::resolved).collect();
        let mut finished = runs(wanted).map_err(Failure::Ended)?;
        let whole = match request.to {
            None => self.keep(view, &resolved, &finished),
            // Runs that were stopped have no rows to show.
            Some(_) => match self.kept(&view.given) {
                Some(kept) => kept,
                None => {
                    let all = runs(view.runs(custom)?).map_err(Failure::Ended)?;
                    self.keep(view, &resolved, &all)
                }
            },
        };
        let lines = finished
            .iter_mut()
            .map(|one| one.as_mut()?.as_mut().ok()?.lines.take());
        Ok(framed(&whole, &Traced::of(lines.collect())))
    }

    /// One of the runs of a comparison, simulated: bytes for [`decode`](crate::decode), none where
    /// there is no run of this number.
    ///
    /// # Errors
    ///
    /// The request is wrong, or the run was ended.
    pub fn part<E>(
        &self,
        request: &[u8],
        number: usize,
        runs: &mut Runs<'_, E>,
    ) -> Result<Vec<u8>, Failure<E>> {
        let request = CompareRequest::read(request, &self.settings)?;
        let view = View::of(request.given.clone(), &self.settings)?;
        let mut wanted = view.runs_of(number..number.saturating_add(1), &Custom::default())?;
        record_lines(&mut wanted, &request, &view)?;
        let finished = runs(wanted).map_err(Failure::Ended)?.pop().flatten();
        let of = |finished| encode(number, view.plan.variants.len(), &finished);
        Ok(finished.map_or_else(Vec::new, of))
    }

    /// The first packets of a startup's first flow, one by one, as JSON.
    ///
    /// # Errors
    ///
    /// The request is wrong, or its run was ended.
    pub fn packets<E>(
        &self,
        request: &[u8],
        custom: &Custom,
        runs: &mut Runs<'_, E>,
    ) -> Result<String, Failure<E>> {
        let request = PacketsRequest::read(request, &self.settings)?;
        let view = View::of(request.given, &self.settings)?;
        let names = view.plan.names();
        let Some(at) = names.iter().position(|name| *name == request.startup) else {
            let (name, near) = (&request.startup, suggest(&request.startup, &names));
            let problem = format!("startup: `{name}` is not among those in `given`{near}");
            return Err(Refusal::new(problem).into());
        };
        let mut run = view.runs(custom)?.swap_remove(at);
        let journeys = JourneysRequest {
            flow: 0,
            most: request.most,
        };
        run.prepared
            .record_journeys(journeys)
            .map_err(Refusal::from)?;
        let rtt = limits::resolved(&run)["flows"][0]["rtt"].take();
        let rtt_s = limits::seconds(rtt.as_str().unwrap_or_default());
        let found = match runs(vec![run]).map_err(Failure::Ended)?.pop() {
            Some(Some(Ok(part))) => part.journeys.unwrap_or_default(),
            Some(Some(Err(error))) => return Err(Refusal::new(error).into()),
            Some(None) | None => Journeys::default(),
        };
        Ok(packets::document(&found, rtt_s).to_string())
    }

    fn kept(&self, given: &Given) -> Option<Arc<Comparison>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(|(known, _)| known == given)?;
        let found = kept.remove(at)?;
        let comparison = found.1.clone();
        kept.push_back(found);
        Some(comparison)
    }

    /// Makes a comparison, and keeps it, once it is complete, in the place of the one that was not
    /// looked at for longest.
    fn keep(
        &self,
        view: View,
        resolved: &[Value],
        finished: &[Option<Finished>],
    ) -> Arc<Comparison> {
        let found = Arc::new(comparison(&view, resolved, finished));
        if finished.iter().any(Option::is_none) {
            return found;
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(known, _)| *known != view.given);
        kept.push_back((view.given, found.clone()));
        if kept.len() > MOST_KEPT {
            kept.pop_front();
        }
        found
    }
}

/// How many flows of each startup have rows and lines.
fn flows_of_each(view: &View) -> usize {
    let flows = usize::try_from(view.flows).unwrap_or(usize::MAX);
    (MOST_LINES / view.plan.variants.len())
        .min(MOST_FLOWS)
        .min(flows)
        .max(1)
}

/// Has runs record what the lines of an answer need.
fn record_lines(runs: &mut [Run], request: &CompareRequest, view: &View) -> Result<(), Refusal> {
    let flows = flows_of_each(view);
    let columns = MOST_BINS / (flows * view.plan.variants.len());
    let lines = LinesRequest {
        flows: (0..flows)
            .filter_map(|flow| u32::try_from(flow).ok())
            .collect(),
        columns: request
            .columns
            .min(u32::try_from(columns).unwrap_or(u32::MAX)),
        from: request.from,
        to: request.to,
    };
    for run in runs {
        run.prepared.record_lines(lines.clone())?;
    }
    Ok(())
}

fn comparison(view: &View, resolved: &[Value], finished: &[Option<Finished>]) -> Comparison {
    let most = u32::try_from(flows_of_each(view)).unwrap_or(u32::MAX);
    let (table, rows) = Head::of(view, resolved, finished, most);
    let named = |row: Row| (view.plan.variants[row.run].name.clone(), row);
    Comparison {
        table,
        shown: rows.into_iter().map(named).collect(),
    }
}

fn framed(whole: &Comparison, traced: &Traced) -> Vec<u8> {
    let mut tail = Tail::default();
    let shown = whole.shown.iter();
    let trajectories = shown.filter_map(|(name, row)| traced.document(row, name, &mut tail));
    let answer = Answer {
        trajectories: trajectories.collect(),
        table: &whole.table,
        from_s: traced.begin_s(),
        bin_s: traced.bin_s(),
    };
    frame(&answer, &tail)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::convert::Infallible;

    /// A page with a few options and one path.
    fn page() -> Page {
        let option = |(flag, kind): (&str, &str)| json!({"flag": flag, "kind": kind, "least": null, "names_file": flag == "rate-trace"});
        let options = [
            ("rate", "text"),
            ("rtt", "text"),
            ("size", "text"),
            ("flows", "number"),
            ("seed", "number"),
            ("stagger", "text"),
            ("loss", "text"),
            ("available-rate", "text"),
            ("path", "text"),
            ("stack", "text"),
            ("cc", "text"),
            ("iw", "text"),
            ("rate-trace", "text"),
            ("reordering", "switch"),
            ("startup", "list"),
        ];
        let settings = json!({
            "options": options.map(option),
            "paths": {"dsl": {"rate": "10Mbps", "rtt": "30ms"}},
        });
        Page::new(serde_json::from_value(settings).unwrap())
    }

    fn run_all(all: Vec<Run>) -> Result<Vec<Option<Finished>>, Infallible> {
        let finished = |run: &Run| Some(Ok(run.prepared.run().into()));
        Ok(all.iter().map(finished).collect())
    }

    /// The parts of these runs, simulated in this order.
    fn parts(request: &str, numbers: &[usize]) -> Vec<u8> {
        let part = |number: &usize| {
            let found = page().part(request.as_bytes(), *number, &mut run_all);
            found.ok().unwrap()
        };
        numbers.iter().flat_map(part).collect()
    }

    /// The answer with no more than these parts.
    fn assembled(request: &str, parts: &[u8]) -> Vec<u8> {
        let mut runs = |_| -> Result<_, Infallible> { Ok(crate::decode(parts).unwrap()) };
        let found = page().compare(request.as_bytes(), &Custom::default(), &mut runs);
        found.ok().unwrap()
    }

    /// What a page answers to requests, and how many runs that took.
    struct Answers {
        page: Page,
        runs: usize,
    }

    impl Answers {
        fn new() -> Answers {
            Answers {
                page: page(),
                runs: 0,
            }
        }

        fn compare(&mut self, request: &Value) -> Result<(Value, Vec<u8>), String> {
            let runs = &mut self.runs;
            let mut counted = |all: Vec<Run>| {
                *runs += all.len();
                run_all(all)
            };
            let request = request.to_string();
            let found = self
                .page
                .compare(request.as_bytes(), &Custom::default(), &mut counted);
            let found = found.map_err(|failure| match failure {
                Failure::Refused(refusal) => refusal.to_string(),
                Failure::Ended(never) => match never {},
            })?;
            Ok(Answers::unpacked(&found))
        }

        fn unpacked(found: &[u8]) -> (Value, Vec<u8>) {
            let (length, rest) = found.split_at(4);
            let length = u32::from_le_bytes(length.try_into().unwrap()) as usize;
            let tail = rest[(4 + length).next_multiple_of(4) - 4..].to_vec();
            (serde_json::from_slice(&rest[..length]).unwrap(), tail)
        }

        fn refused(&mut self, more: Value) -> String {
            self.compare(&given(more)).unwrap_err()
        }
    }

    fn given(more: Value) -> Value {
        let mut given = json!({"rate": "20Mbps", "rtt": "40ms", "size": "100kB",
            "startup": ["slow-start", "jump-start"]});
        let Value::Object(more) = more else {
            unreachable!()
        };
        given.as_object_mut().unwrap().extend(more);
        json!({"given": given, "columns": 200})
    }

    #[test]
    fn an_answer_has_a_row_a_command_and_a_line_of_each_startup() {
        let (head, tail) = Answers::new().compare(&given(json!({}))).unwrap();
        let names: Vec<&Value> = (0..2).map(|at| &head["table"]["rows"][at][0]).collect();
        assert_eq!(names, ["slow-start", "jump-start"]);
        assert_eq!(
            head["command"],
            "flowstart compare --rate 20Mbps --rtt 40ms --startup slow-start,jump-start \
             --size 100kB --seed 1"
        );
        let scenario = head["scenario"].as_str().unwrap();
        assert!(
            flowstart_sim::Scenario::from_toml(scenario).is_ok(),
            "{scenario}"
        );
        let acked = &head["trajectories"][0]["lines"]["acked"];
        let end = acked["values"].as_u64().unwrap() + 4 * (acked["count"].as_u64().unwrap() - 1);
        let last = &tail[usize::try_from(end).unwrap()..][..4];
        assert_eq!(f32::from_le_bytes(last.try_into().unwrap()), 100_000.0);
    }

    #[test]
    fn seed_0_is_a_seed_as_every_other() {
        let (head, _) = Answers::new().compare(&given(json!({"seed": 0}))).unwrap();
        assert!(head["command"].as_str().unwrap().ends_with(" --seed 0"));
        assert_eq!(head["rows"][0]["seed"], 0);
    }

    #[test]
    fn of_several_flows_the_table_has_the_slowest_and_their_fairness() {
        let (head, _) = Answers::new().compare(&given(json!({"flows": 2}))).unwrap();
        let columns = head["table"]["columns"].as_array().unwrap();
        let titles: Vec<&Value> = columns.iter().map(|column| &column["title"]).collect();
        assert_eq!(titles[..5], ["startup", "FCT", "slowest", "Jain", "change"]);
    }

    #[test]
    fn a_part_of_the_time_has_the_rows_of_all_of_it_without_other_runs() {
        let mut answers = Answers::new();
        let (whole, _) = answers.compare(&given(json!({}))).unwrap();
        assert_eq!(answers.runs, 2);
        let mut part = given(json!({}));
        part["from_s"] = 0.05.into();
        part["to_s"] = 0.1.into();
        let (found, _) = answers.compare(&part).unwrap();
        assert_eq!(answers.runs, 4);
        assert_eq!(found["rows"], whole["rows"]);
        assert_eq!(found["from_s"], 0.05);
        // One that was not answered before runs to its end as well.
        part["given"]["seed"] = 2.into();
        answers.compare(&part).unwrap();
        assert_eq!(answers.runs, 8);
    }

    #[test]
    fn an_answer_of_parts_has_the_bytes_of_one_of_all_runs_at_once() {
        let more = json!({"flows": 2, "loss": "1%", "available_rate": "20Mbps"});
        let request = given(more).to_string();
        let whole = page().compare(request.as_bytes(), &Custom::default(), &mut run_all);
        let found = assembled(&request, &parts(&request, &[1, 0]));
        assert!(found == whole.ok().unwrap());
    }

    #[test]
    fn a_run_that_is_not_over_has_no_row_and_no_note() {
        let request = given(json!({})).to_string();
        let (head, _) = Answers::unpacked(&assembled(&request, &parts(&request, &[1])));
        assert_eq!(head["startups"].as_array().unwrap().len(), 2);
        assert_eq!(head["table"]["rows"].as_array().unwrap().len(), 1);
        assert_eq!(head["trajectories"][0]["startup"], "jump-start");
        assert_eq!(head["warnings"], json!([]));
        assert!(!head["legend"].as_str().unwrap().contains("failed"));
    }

    #[test]
    fn a_number_beyond_the_runs_has_no_part() {
        assert!(parts(&given(json!({})).to_string(), &[2]).is_empty());
    }

    #[test]
    fn bytes_that_are_no_parts_are_refused() {
        assert!(crate::decode(&[0, 2, 7]).is_err());
    }

    #[test]
    fn a_congestion_control_stands_for_itself_with_its_startup() {
        let request = given(json!({"startup": "bbr,slow-start"}));
        let (head, _) = Answers::new().compare(&request).unwrap();
        assert_eq!(head["startups"], json!(["bbr", "slow-start"]));
        assert_eq!(head["rows"][0]["startup"], "bbr-startup");
        assert!(
            head["command"]
                .as_str()
                .unwrap()
                .contains("--variant 'bbr: cc=bbr'")
        );
    }

    #[test]
    fn packets_are_those_of_the_startup_that_is_named() {
        let mut request = given(json!({}));
        request.as_object_mut().unwrap().remove("columns");
        request["startup"] = "jump-start".into();
        request["most"] = 10.into();
        let found = page().packets(
            request.to_string().as_bytes(),
            &Custom::default(),
            &mut run_all,
        );
        let found: Value = serde_json::from_str(&found.ok().unwrap()).unwrap();
        assert_eq!(found["rtt_s"], 0.04);
        assert_eq!(found["kind"].as_array().unwrap().len(), 10);
        assert_eq!(found["cut"], true);
    }

    #[test]
    fn what_is_wrong_is_named_by_its_option_with_its_value() {
        let mut answers = Answers::new();
        for (more, said) in [
            (json!({"rate": "5"}), "--rate: `5`"),
            (json!({"rate": 5}), "--rate: `5`: a text is needed"),
            (
                json!({"flows": "x"}),
                "--flows: `x`: a whole number is needed",
            ),
            (
                json!({"flows": -1}),
                "--flows: `-1`: a whole number from 0 on is needed",
            ),
            (
                json!({"flows": 1e300}),
                "a whole number of at most 9223372036854775807 is needed",
            ),
            (json!({"flows": 65}), "--flows: 65 are too many"),
            (json!({"size": "1MB,2MB"}), "--size: `1MB,2MB` is 2 sizes"),
            (json!({"size": "100GB"}), "packets in 2 runs of 1 each"),
            (
                json!({"startup": ["hystart", "hystart"]}),
                "startup `hystart` is given twice",
            ),
            (
                json!({"startup": ["-hystart"]}),
                "is not among those before it",
            ),
            (json!({"startup": ["./mine.py:Mine"]}), "is Python code"),
            (
                json!({"rate-trace": "/etc/passwd"}),
                "is a file; the explorer reads only",
            ),
            (
                json!({"stagger": "1s"}),
                "--stagger: `1s` changes nothing: one flow has no other",
            ),
            (
                json!({"stack": "rfc:iw=3", "iw": "4"}),
                "--iw and --stack rfc:iw=3: both set iw",
            ),
            (
                json!({"stack": "lunix"}),
                "--stack: `lunix` is unknown; did you mean `linux`?",
            ),
            (
                json!({"path": "dls"}),
                "no path is called `dls`; did you mean `dsl`?",
            ),
            (
                json!({"reordering": "perhaps"}),
                "--reordering: `perhaps`: true or false is needed",
            ),
            (
                json!({"rats": "1Mbps"}),
                "given: `rats` is unknown; did you mean `rate`?",
            ),
        ] {
            let refused = answers.refused(more);
            assert!(refused.contains(said), "{refused}");
            assert!(!refused.contains('\n'));
        }
        assert_eq!(answers.runs, 0);
    }
}

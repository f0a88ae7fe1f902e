//! What a comparison runs: a scenario under one variant after another.

use crate::goodput;
use crate::path::interface;
use crate::variants::{Variant, baseline};
use flowstart_control::{Amount, Bytes};
use flowstart_sim::{RequestError, Scenario};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The sizes of flows that have none, where none is given.
pub const USUAL_SIZES: [&str; 4] = ["10kB", "100kB", "1MB", "10MB"];
/// What an earlier connection left behind where nothing else is given: the right window.
pub const CACHED: &str = "1bdp";
/// A client's request, in one packet.
const REQUEST: &str = "500B";

/// A scenario in which some flows and web sessions have no startup: they are under test.
#[derive(Debug)]
pub struct Plan {
    base: Map<String, Value>,
    /// Which entries of `flows` are under test; the others are background traffic.
    pub tested: Vec<usize>,
    /// Which entries of `web` are.
    pub tested_web: Vec<usize>,
    /// What is compared.
    pub variants: Vec<Variant>,
    /// The variant that the others are measured against.
    pub baseline: String,
    /// The sizes of flows under test; only none where the scenario gives them.
    pub sizes: Vec<Option<String>>,
}

/// One run of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Case {
    /// Which of the sizes.
    pub size: usize,
    /// Which of the variants.
    pub variant: usize,
    /// Its seed.
    pub seed: u64,
}

impl Plan {
    /// The plan of a scenario. `sizes` are for flows under test that have none.
    ///
    /// # Errors
    ///
    /// Nothing is under test, a size is missing or contradicts the scenario, or the baseline is not
    /// among the variants.
    pub fn of(
        base: Map<String, Value>,
        variants: Vec<Variant>,
        given_baseline: Option<&str>,
        sizes: Option<&[String]>,
    ) -> Result<Plan, RequestError> {
        let open = |kind| open_startups(&base, kind);
        let (tested, tested_web) = (open("flows")?, open("web")?);
        if tested.is_empty() && tested_web.is_empty() {
            return Err(RequestError::new(
                "",
                "every flow of the scenario names its startup, so there is nothing to compare; \
                 leave `startup` out of the flows under test, or use `flowstart run`",
            ));
        }
        let names: Vec<&str> = variants.iter().map(|one| one.name.as_str()).collect();
        let mut base = base;
        let sizes = open_sizes(&mut base, &tested, sizes)?;
        Ok(Plan {
            baseline: baseline(given_baseline, &names)?,
            sizes,
            base,
            tested,
            tested_web,
            variants,
        })
    }

    /// The names of what is compared.
    pub fn names(&self) -> Vec<&str> {
        self.variants.iter().map(|one| one.name.as_str()).collect()
    }

    /// The first run of each variant.
    pub fn first_cases(&self, seed: u64) -> impl Iterator<Item = Case> + '_ {
        let size = 0;
        (0..self.variants.len()).map(move |variant| Case {
            size,
            variant,
            seed,
        })
    }

    /// The scenario of one run.
    pub fn scenario(&self, case: Case) -> Value {
        let mut scenario = self.base.clone();
        for (kind, tested) in [("flows", &self.tested), ("web", &self.tested_web)] {
            let entries = scenario.get_mut(kind).and_then(Value::as_array_mut);
            for (at, entry) in entries.into_iter().flatten().enumerate() {
                if let (true, Some(entry)) = (tested.contains(&at), entry.as_object_mut()) {
                    self.complete(entry, case, kind == "flows");
                }
            }
        }
        scenario.insert("seed".into(), case.seed.into());
        scenario.into()
    }

    /// Gives an entry under test what its run is about.
    fn complete(&self, entry: &mut Map<String, Value>, case: Case, is_sized: bool) {
        let rate = self.base.get("path").and_then(Value::as_object);
        if let Some(rate) = rate.and_then(interface) {
            let known = entry.entry("interface_rate");
            known.or_insert_with(|| rate.into());
        }
        for (name, value) in self.variants[case.variant].fields() {
            entry.insert(name.to_owned(), value);
        }
        if let (Some(size), true) = (&self.sizes[case.size], is_sized) {
            fill_size(entry, size);
        }
    }

    /// A refusal of a run's scenario, about the variant where that set the field.
    pub fn about_variant(&self, case: Case, error: RequestError) -> RequestError {
        let variant = &self.variants[case.variant];
        let own = ["flows[", "web["].iter().find_map(|entry| {
            let (_, field) = error.field.strip_prefix(entry)?.split_once("].")?;
            let name = field.split(['.', '[']).next()?;
            let mut flow = variant.flow.iter();
            let is_own =
                name == "stack" && !variant.stack.is_empty() || flow.any(|(own, _)| own == name);
            is_own.then_some(field)
        });
        match own {
            None => error,
            Some(field) => {
                let problem = format!("variant `{}`: {field}: {}", variant.name, error.problem);
                RequestError::new("", problem)
            }
        }
    }

    /// Refuses variants under which different ends open a connection under test: their times begin at
    /// different events. `resolved` are the first runs of all variants with every default.
    ///
    /// # Errors
    ///
    /// There are such variants.
    pub fn check_openers(&self, resolved: &[Value]) -> Result<(), RequestError> {
        let opener = |at: usize, entry: usize| &resolved[at]["flows"][entry]["opener"];
        let differs = |at: &usize| {
            let mut tested = self.tested.iter();
            tested.any(|entry| opener(*at, *entry) != opener(0, *entry))
        };
        let Some(at) = (1..resolved.len()).find(differs) else {
            return Ok(());
        };
        let is_client =
            |at: &usize| (self.tested.iter()).any(|entry| opener(*at, *entry) == "receiver");
        let [client, sender] = if is_client(&at) { [at, 0] } else { [0, at] };
        let [client, sender] = [client, sender].map(|at| &self.variants[at].name);
        let problem = format!(
            "`{client}` has stack.flight, whose client opens the connection and sends a request; under \
             `{sender}` the sender of the data opens it; give both a flight"
        );
        Err(RequestError::new("", problem))
    }

    /// Refuses sizes that are the same number of bytes, however they are written. `resolved` is a run
    /// with every default.
    ///
    /// # Errors
    ///
    /// There are such sizes.
    pub fn check_sizes(&self, resolved: &Value) -> Result<(), RequestError> {
        let flow = self.tested.first().map(|entry| &resolved["flows"][entry]);
        let own = flow.and_then(|flow| flow["mss"].as_str());
        let mss = own.or(resolved["stack"]["mss"].as_str());
        let mss = mss
            .and_then(|mss| mss.parse().ok())
            .map_or(0, |Bytes(mss)| mss);
        let mut known: Vec<(u64, &String)> = Vec::new();
        for size in self.sizes.iter().flatten() {
            let Some(bytes) = size_bytes(size, mss) else {
                continue;
            };
            if let Some((_, same)) = known.iter().find(|(known, _)| *known == bytes) {
                let problem =
                    format!("size `{size}` is the same as `{same}`; leave one of the two out");
                return Err(RequestError::new("", problem));
            }
            known.push((bytes, size));
        }
        Ok(())
    }

    /// For each flow of a run but those of web sessions, its entry in `flows`.
    pub(crate) fn places(&self) -> Vec<usize> {
        let count = |flow: &Value| flow["count"].as_u64().unwrap_or(1);
        let entries = entries(&self.base, "flows").iter().enumerate();
        let repeated = entries.flat_map(|(at, flow)| (0..count(flow)).map(move |_| at));
        repeated.collect()
    }

    /// The writes of an entry of `flows`.
    pub(crate) fn writes(&self, entry: usize) -> &[Value] {
        let flow = entries(&self.base, "flows").get(entry);
        let writes = flow.and_then(|flow| flow["writes"].as_array());
        writes.map_or(&[], Vec::as_slice)
    }

    /// Entries of `flows` with the requests for which flows under test wait.
    pub(crate) fn requesting(&self) -> BTreeSet<usize> {
        let writes = self.tested.iter().flat_map(|entry| self.writes(*entry));
        let causes = writes.filter_map(|write| write["after"]["flow"].as_u64());
        let causes: BTreeSet<usize> = causes.filter_map(|at| usize::try_from(at).ok()).collect();
        let is_other = |at: &usize| !self.tested.contains(at);
        causes.into_iter().filter(is_other).collect()
    }

    /// Whether a connection under test has several writes.
    pub fn has_requests(&self) -> bool {
        self.tested
            .iter()
            .any(|entry| self.writes(*entry).len() > 1)
    }

    /// Whether it has web sessions.
    pub fn has_web(&self) -> bool {
        !entries(&self.base, "web").is_empty()
    }
}

/// The bytes of a size, whose packets carry `mss`; none where it is no number of either.
pub fn size_bytes(size: &str, mss: u64) -> Option<u64> {
    match size.parse() {
        Ok(Amount::Bytes(bytes)) => Some(bytes),
        Ok(Amount::Packets(packets)) => packets.checked_mul(mss),
        Ok(Amount::Bdp(_)) | Err(_) => None,
    }
}

/// The flows of a comparison on a path, fields in order. `options` are those of `flowstart compare`.
///
/// With `requests`, a client requests so many transfers on one connection, and each time waits for
/// `idle` after it has received one.
pub fn flows(options: &Map<String, Value>) -> Vec<Vec<(&'static str, Value)>> {
    let given = |name: &str| options.get(name).filter(|value| !value.is_null()).cloned();
    let fields = [
        ("cc", given("cc")),
        ("count", given("flows")),
        ("stagger", given("stagger")),
        ("landing", given("landing")),
        ("source", given("writes")),
        ("available_rate", given("available_rate")),
        (
            "cached_cwnd",
            Some(given("cached_cwnd").unwrap_or_else(|| CACHED.into())),
        ),
    ];
    let fields = fields.into_iter();
    let flow = fields.filter_map(|(name, value)| Some((name, value?)));
    let mut flow: Vec<(&'static str, Value)> = flow.collect();
    let Some(requests) = given("requests") else {
        return vec![flow];
    };
    let count = requests.as_u64().unwrap_or(0);
    let asked = |number: u64| {
        let mut when = json!({"size": REQUEST});
        match number {
            0 => when["at"] = "0s".into(),
            _ => when["after"] = json!({"flow": 1, "write": number - 1}),
        }
        if let (Some(idle), true) = (given("idle"), number > 0) {
            when["after"]["pause"] = idle;
        }
        when
    };
    let asking = vec![
        ("startup", "slow-start".into()),
        ("direction", "reverse".into()),
        ("writes", (0..count).map(asked).collect()),
    ];
    let answer = |number| json!({"after": {"flow": 0, "write": number}});
    flow.push(("handshake", false.into()));
    flow.push(("writes", (0..count).map(answer).collect()));
    vec![asking, flow]
}

/// The entries of `flows` or `web`.
fn entries<'a>(base: &'a Map<String, Value>, kind: &str) -> &'a [Value] {
    let entries = base.get(kind).and_then(Value::as_array);
    entries.map_or(&[], Vec::as_slice)
}

/// The places of entries that name no startup.
fn open_startups(base: &Map<String, Value>, kind: &str) -> Result<Vec<usize>, RequestError> {
    let is_list = |given: &Value| {
        let entries = given.as_array();
        entries.is_some_and(|entries| entries.iter().all(Value::is_object))
    };
    if !base
        .get(kind)
        .is_none_or(|given| given.is_null() || is_list(given))
    {
        Scenario::from_value(base.clone().into())?;
        return Err(RequestError::new(kind, "not a list of tables"));
    }
    let entries = entries(base, kind).iter().enumerate();
    let open = entries.filter(|(_, entry)| entry.get("startup").is_none());
    Ok(open.map(|(at, _)| at).collect())
}

/// The sizes for flows that have none; only none where every flow has its own, or where the rates of
/// flows without an end are compared.
fn open_sizes(
    base: &mut Map<String, Value>,
    tested: &[usize],
    sizes: Option<&[String]>,
) -> Result<Vec<Option<String>>, RequestError> {
    let flows = entries(base, "flows");
    let open = tested.iter().find(|at| !has_size(&flows[**at]));
    match (open, sizes) {
        (Some(_), None) if goodput::measure_endless(base) => Ok(vec![None]),
        (None, None) => Ok(vec![None]),
        (None, Some(sizes)) => {
            let problem =
                "the scenario gives every flow under test its own size; leave one of the two out";
            let problem = format!("sizes {}: {problem}", sizes.join(", "));
            Err(RequestError::new("", problem))
        }
        (Some(at), None) if base.contains_key("duration") => Err(RequestError::new(
            format!("flows[{at}].size"),
            "missing: the flow has no end and opens at the end of the run's `duration`; give it a \
             size, or all such flows with --size",
        )),
        (Some(_), None) => Ok(USUAL_SIZES.map(|size| Some(size.to_owned())).into()),
        (Some(_), Some(sizes)) => {
            let mut numbered = sizes.iter().enumerate();
            let twice = numbered.find(|(at, size)| sizes[..*at].contains(size));
            match twice {
                _ if sizes.is_empty() => Err(RequestError::new("", "no size is given")),
                Some((_, size)) => Err(RequestError::new(
                    "",
                    format!("size `{size}` is given twice"),
                )),
                None => Ok(sizes.iter().cloned().map(Some).collect()),
            }
        }
    }
}

/// Whether a flow has its own size.
fn has_size(flow: &Value) -> bool {
    let writes = flow["writes"].as_array();
    let all_sized = |writes: &Vec<Value>| writes.iter().all(|write| write.get("size").is_some());
    let is_sized = |name: &str| flow.get(name).is_some_and(|value| !value.is_null());
    is_sized("size") || is_sized("source") || writes.is_some_and(all_sized)
}

/// Gives a flow, or each of its writes, the size where it has none.
fn fill_size(flow: &mut Map<String, Value>, size: &str) {
    match flow.get_mut("writes").and_then(Value::as_array_mut) {
        Some(writes) => {
            for write in writes.iter_mut().filter_map(Value::as_object_mut) {
                write.entry("size").or_insert_with(|| size.into());
            }
        }
        None => _ = flow.entry("size").or_insert_with(|| size.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::variants::variants;

    fn plan(base: Value, sizes: Option<&[&str]>) -> Result<Plan, String> {
        let Value::Object(base) = base else {
            unreachable!()
        };
        let startups = ["slow-start".to_owned(), "bbr".to_owned()];
        let variants = variants(Some(&startups), &[]).unwrap();
        let sizes = sizes.map(|sizes| sizes.iter().map(|size| (*size).to_owned()).collect());
        let sizes: Option<Vec<String>> = sizes;
        Plan::of(base, variants, None, sizes.as_deref()).map_err(|error| error.problem)
    }

    fn of_options(options: Value) -> Plan {
        let flows: Vec<Value> = flows(options.as_object().unwrap())
            .into_iter()
            .map(|flow| {
                flow.into_iter()
                    .map(|(name, value)| (name.to_owned(), value))
            })
            .map(|flow| flow.collect::<Map<String, Value>>().into())
            .collect();
        plan(json!({"path": {}, "flows": flows}), Some(&["10kB"])).unwrap()
    }

    fn case(variant: usize) -> Case {
        Case {
            size: 0,
            variant,
            seed: 7,
        }
    }

    #[test]
    fn a_flow_under_test_has_the_fields_of_its_variant_and_its_size() {
        let scenario = of_options(json!({"flows": 2, "cc": "cubic"})).scenario(case(1));
        let flow = json!({
            "cc": "bbr", "startup": "bbr-startup", "count": 2, "size": "10kB", "cached_cwnd": "1bdp",
            "interface_rate": "1Gbps",
        });
        assert_eq!(scenario, json!({"path": {}, "flows": [flow], "seed": 7}));
    }

    #[test]
    fn requests_wait_for_each_other_on_one_connection() {
        let plan = of_options(json!({"requests": 2, "idle": "1s"}));
        assert_eq!(
            (plan.tested.as_slice(), plan.has_requests()),
            (&[1][..], true)
        );
        assert_eq!(plan.requesting(), BTreeSet::from([0]));
        let flows = plan.scenario(case(0))["flows"].take();
        let after = json!({"flow": 1, "write": 0, "pause": "1s"});
        let asked = json!([{"size": "500B", "at": "0s"}, {"size": "500B", "after": after}]);
        assert_eq!(flows[0]["writes"], asked);
        assert_eq!(flows[1]["writes"][1]["size"], "10kB");
        assert!(flows[1].get("size").is_none());
    }

    #[test]
    fn flows_with_a_startup_are_background_and_sessions_may_be_under_test() {
        let base = json!({"flows": [{"startup": "hystart", "count": 3}], "web": [{"size": 9}]});
        let plan = plan(base, None).unwrap();
        assert_eq!(
            (plan.tested.len(), plan.tested_web.as_slice()),
            (0, &[0][..])
        );
        assert_eq!(plan.sizes, [None]);
        assert_eq!(plan.places(), [0, 0, 0]);
        let scenario = plan.scenario(case(0));
        assert_eq!(scenario["flows"][0]["startup"], "hystart");
        assert_eq!(scenario["web"][0]["startup"], "slow-start");
    }

    #[test]
    fn what_contradicts_is_refused() {
        let own = json!({"flows": [{"size": "1kB"}]});
        for (base, sizes, problem) in [
            (
                json!({"flows": [{"startup": "a"}]}),
                None,
                "nothing to compare",
            ),
            (own, Some(&["2kB"][..]), "its own size"),
            (
                json!({"flows": [{}]}),
                Some(&["1kB", "1kB"][..]),
                "`1kB` is given twice",
            ),
            (json!({"flows": [{}]}), Some(&[][..]), "no size is given"),
            (
                json!({"flows": [{"start": "9s"}], "duration": "9s"}),
                None,
                "the flow has no end",
            ),
        ] {
            let refused = plan(base, sizes).unwrap_err();
            assert!(refused.contains(problem), "{refused}");
        }
    }

    #[test]
    fn flows_without_an_end_are_measured_for_the_duration_from_the_last_opening() {
        let flows = json!([{"start": "1s", "count": 3, "stagger": "500ms"}]);
        let plan = plan(json!({"flows": flows, "duration": "9s"}), None).unwrap();
        assert_eq!(plan.sizes, [None]);
        assert_eq!(plan.scenario(case(0))["within"], json!(["7s"]));
    }

    #[test]
    fn without_a_duration_runs_last_until_all_is_measured() {
        let of = |fields: Value| {
            let plan = plan(fields, None).unwrap();
            plan.scenario(case(0))["duration"].take()
        };
        let flows = json!([{"start": "1s"}]);
        assert_eq!(of(json!({"flows": flows, "within": ["1s", "10s"]})), "11s");
        assert_eq!(
            of(json!({"flows": flows, "within": ["1s"], "speed_tests": ["ndt7"]})),
            "16s"
        );
    }

    #[test]
    fn a_field_that_a_variant_sets_is_refused_as_that_of_the_variant() {
        let mut plan = of_options(json!({}));
        plan.variants[1].stack = vec![("flight".into(), "chian".into())];
        let refused = |number, field| {
            let error = RequestError::new(field, "unknown");
            plan.about_variant(case(number), error).to_string()
        };
        let own = "variant `bbr`: stack.flight: unknown";
        assert_eq!(refused(1, "flows[0].stack.flight"), own);
        assert_eq!(refused(1, "flows[0].size"), "flows[0].size: unknown");
        assert_eq!(
            refused(0, "flows[0].stack.flight"),
            "flows[0].stack.flight: unknown"
        );
    }

    #[test]
    fn variants_whose_connections_different_ends_open_are_refused() {
        let plan = plan(json!({"flows": [{}]}), Some(&["10kB"])).unwrap();
        let [client, server] =
            ["receiver", "sender"].map(|end| json!({"flows": [{"opener": end}]}));
        assert!(
            plan.check_openers(&[client.clone(), client.clone()])
                .is_ok()
        );
        let refused = plan.check_openers(&[server, client]).unwrap_err().problem;
        assert!(refused.starts_with("`bbr` has stack.flight"), "{refused}");
        assert!(
            refused.contains("under `slow-start` the sender"),
            "{refused}"
        );
    }

    #[test]
    fn sizes_of_the_same_number_of_bytes_are_refused() {
        let plan = plan(json!({"flows": [{}]}), Some(&["10kB", "10pkt", "1460B"])).unwrap();
        let resolved = |mss: &str| json!({"stack": {"mss": mss}, "flows": [{}]});
        assert!(plan.check_sizes(&resolved("1448B")).is_ok());
        assert!(plan.check_sizes(&resolved("1000B")).is_err());
    }
}

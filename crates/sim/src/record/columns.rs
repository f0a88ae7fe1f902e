//! What every column of a run's tables holds: read from the rows' own definitions, of which a
//! comment is the meaning, `unit` the unit and `null` what it means that there is no value.

use super::delay::DelayRow;
use super::flow::{FlowRow, TransferRow};
use super::goodput::GoodputRow;
use super::limits::LimitRow;
use super::link::LinkRow;
use super::object::ObjectRow;
use super::run::RunRow;
use super::startup::StartupRow;
use super::trace::{FlowSamples, QueueDepartures, QueueSamples};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde_json::Value as Json;

/// A table, described.
#[derive(Clone, Debug, Serialize)]
pub struct Table {
    /// What it is called.
    pub name: &'static str,
    /// What a row of it is.
    pub about: String,
    /// Its columns, in order.
    pub columns: Vec<Column>,
}

/// A column, described.
#[derive(Clone, Debug, Serialize)]
pub struct Column {
    /// What it is called.
    pub name: String,
    /// `integer`, `number`, `string` or `boolean`.
    pub kind: String,
    /// Its unit, where it has one.
    pub unit: Option<String>,
    /// What it means that there is no value; `None` where there always is one.
    pub null: Option<String>,
    /// What it holds.
    pub doc: String,
}

/// The tables of a run and of its trace.
pub fn tables() -> Vec<Table> {
    vec![
        table::<RunRow>("runs"),
        table::<FlowRow>("flows"),
        table::<TransferRow>("transfers"),
        table::<ObjectRow>("objects"),
        table::<LinkRow>("links"),
        table::<StartupRow>("startups"),
        table::<LimitRow>("limits"),
        table::<GoodputRow>("goodputs"),
        table::<DelayRow>("delays"),
        table::<FlowSamples>("flow-samples"),
        table::<QueueSamples>("queue-samples"),
        table::<QueueDepartures>("queue-departures"),
    ]
}

fn table<Row: JsonSchema>(name: &'static str) -> Table {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let schema = settings.into_generator().into_root_schema_for::<Row>();
    let schema = schema.as_value();
    // Of what is written all is required, in the order in which it is.
    let names = schema["required"].as_array().cloned().unwrap_or_default();
    let names = names.iter().filter_map(Json::as_str);
    Table {
        name,
        about: text(&schema["description"]).unwrap_or_default(),
        columns: names
            .map(|name| column(name, &schema["properties"][name]))
            .collect(),
    }
}

fn column(name: &str, schema: &Json) -> Column {
    Column {
        name: name.to_string(),
        kind: kind(schema),
        unit: text(&schema["unit"]),
        null: text(&schema["null"]),
        doc: text(&schema["description"]).unwrap_or_default(),
    }
}

/// The type of a value: of a column of a trace that of its cells.
fn kind(schema: &Json) -> String {
    match &schema["type"] {
        Json::String(kind) if kind == "array" => self::kind(&schema["items"]),
        Json::String(kind) => kind.clone(),
        Json::Array(kinds) => kinds[0].as_str().unwrap_or_default().to_string(),
        _ => String::new(),
    }
}

fn text(value: &Json) -> Option<String> {
    Some(value.as_str()?.replace('\n', " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_has_a_meaning_and_a_type() {
        let tables = tables();
        assert!(tables.iter().all(|table| !table.about.is_empty()));
        for column in tables.iter().flat_map(|table| &table.columns) {
            assert!(!column.doc.is_empty(), "{}", column.name);
            let kinds = ["integer", "number", "string", "boolean"];
            assert!(kinds.contains(&column.kind.as_str()), "{}", column.name);
        }
    }

    #[test]
    fn a_column_that_may_have_no_value_has_a_meaning_for_that() {
        let schema = schemars::schema_for!(FlowRow);
        let flows = &tables()[1];
        for column in &flows.columns {
            let kinds = &schema.as_value()["properties"][&column.name]["type"];
            assert_eq!(kinds.is_array(), column.null.is_some(), "{}", column.name);
        }
    }

    #[test]
    fn columns_stand_in_the_order_of_the_rows() {
        let names = |table: &Table| -> Vec<String> {
            table
                .columns
                .iter()
                .map(|column| column.name.clone())
                .collect()
        };
        let tables = tables();
        assert_eq!(names(&tables[1])[..2], ["startup", "cc"]);
        let samples = names(&tables[9]);
        assert_eq!(samples, FlowSamples::COLUMNS);
    }
}

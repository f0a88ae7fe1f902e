//! The requests of the explore view.

use crate::Refusal;
use crate::fields::Fields;
use crate::given::Given;
use crate::settings::Settings;
use flowstart_control::Instant;
use flowstart_sim::record::journeys::MOST_JOURNEYS;

/// No screen is wider; bins are counted in 16 bits, and there are up to two for each column.
const MOST_COLUMNS: u32 = 8_000;
const USUAL_COLUMNS: u32 = 600;
/// Packets of a flow that an answer shows one by one.
const USUAL_PACKETS: u32 = 2_000;

/// Requests the table and what every startup did over time.
pub(crate) struct CompareRequest {
    pub(crate) given: Given,
    /// Over how many columns of pixels lines are drawn.
    pub(crate) columns: u32,
    /// The part of the time that is shown; without an end, all of it.
    pub(crate) from: Instant,
    pub(crate) to: Option<Instant>,
}

impl CompareRequest {
    pub(crate) fn read(request: &[u8], settings: &Settings) -> Result<CompareRequest, Refusal> {
        let fields = Fields::read(request, &["given", "columns", "from_s", "to_s"])?;
        let columns = fields.whole("columns", USUAL_COLUMNS, 1..=MOST_COLUMNS)?;
        let from_s = fields.seconds("from_s")?.unwrap_or(0.0);
        let to_s = fields.seconds("to_s")?;
        let from = Instant::from_secs_f64(from_s);
        let to = to_s.map(Instant::from_secs_f64);
        if let (Some(to_s), true) = (to_s, to.is_some_and(|to| to <= from)) {
            return Err(Refusal::new(format!(
                "to_s: `{to_s:?}`: a time after from_s = {from_s} by a nanosecond or more is needed"
            )));
        }
        let given = Given::read(fields.get("given"), settings)?;
        Ok(CompareRequest {
            given,
            columns,
            from,
            to,
        })
    }
}

/// Requests single packets of one startup's first flow.
pub(crate) struct PacketsRequest {
    pub(crate) given: Given,
    pub(crate) startup: String,
    /// At most so many.
    pub(crate) most: u32,
}

impl PacketsRequest {
    pub(crate) fn read(request: &[u8], settings: &Settings) -> Result<PacketsRequest, Refusal> {
        let fields = Fields::read(request, &["given", "startup", "most"])?;
        Ok(PacketsRequest {
            most: fields.whole("most", USUAL_PACKETS, 1..=MOST_JOURNEYS)?,
            startup: fields.text("startup")?.to_owned(),
            given: Given::read(fields.get("given"), settings)?,
        })
    }
}

//! Tables by columns: a few bytes a cell, not an object. Python reads lists or arrays.

use std::collections::HashMap;
use std::sync::OnceLock;

use flowstart_sim::record::columns;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};

use crate::arrays::{self, array};
use crate::errors::SimulationError;

/// A table of a run, or of many: the column `run` and those that are defined for its rows.
///
/// Columns have their types from the definitions, whether or not there are rows.
#[pyclass(frozen, module = "flowstart._native")]
pub struct Table {
    name: &'static str,
    pub(crate) columns: Vec<Column>,
}

/// A column.
pub(crate) struct Column {
    pub(crate) name: &'static str,
    pub(crate) cells: Cells,
    /// Where there are values; everywhere if `None`.
    present: Option<Vec<bool>>,
}

/// The cells of a column; a placeholder where there is none.
pub(crate) enum Cells {
    Whole(Vec<u64>),
    Real(Vec<f64>),
    Truth(Vec<bool>),
    Words(Words),
}

/// The value of a cell.
pub(crate) enum Cell<'a> {
    Whole(u64),
    Real(f64),
    Truth(bool),
    Word(&'a str),
    Nothing,
}

/// Text, of which most is the same in row after row: different words, and the number of each cell's.
#[derive(Default)]
pub(crate) struct Words {
    numbers: Vec<u32>,
    words: Vec<String>,
    number_of: HashMap<String, u32>,
}

impl Words {
    pub(crate) fn push(&mut self, word: &str) {
        let latest = self.numbers.last().copied();
        let latest =
            latest.filter(|number| self.words.get(*number as usize).is_some_and(|w| w == word));
        let number = latest.unwrap_or_else(|| self.number_of(word));
        self.numbers.push(number);
    }

    fn number_of(&mut self, word: &str) -> u32 {
        if let Some(number) = self.number_of.get(word) {
            return *number;
        }
        let number = self.words.len() as u32;
        self.words.push(word.into());
        self.number_of.insert(word.into(), number);
        number
    }
}

impl Cells {
    /// Those of a column whose values are of this kind, as definitions call it.
    fn of(kind: &str) -> Cells {
        match kind {
            "integer" => Cells::Whole(Vec::new()),
            "number" => Cells::Real(Vec::new()),
            "boolean" => Cells::Truth(Vec::new()),
            _ => Cells::Words(Words::default()),
        }
    }

    fn len(&self) -> usize {
        match self {
            Cells::Whole(cells) => cells.len(),
            Cells::Real(cells) => cells.len(),
            Cells::Truth(cells) => cells.len(),
            Cells::Words(words) => words.numbers.len(),
        }
    }

    fn push_nothing(&mut self) {
        match self {
            Cells::Whole(cells) => cells.push(0),
            Cells::Real(cells) => cells.push(f64::NAN),
            Cells::Truth(cells) => cells.push(false),
            Cells::Words(words) => words.numbers.push(0),
        }
    }
}

impl Column {
    /// A column of this name whose values are of this kind, as definitions call it.
    pub(crate) fn new(name: &'static str, kind: &str) -> Column {
        Column {
            name,
            cells: Cells::of(kind),
            present: None,
        }
    }

    /// A value has been added to the cells.
    #[inline]
    pub(crate) fn note_value(&mut self) {
        if let Some(present) = &mut self.present {
            present.push(true);
        }
    }

    /// There is no value in the next cell.
    pub(crate) fn push_nothing(&mut self) {
        let before = self.cells.len();
        let present = self.present.get_or_insert_with(|| vec![true; before]);
        present.push(false);
        self.cells.push_nothing();
    }

    /// The cell of another column of the same kind.
    fn push_cell(&mut self, other: &Column, row: usize) {
        if !other.has(row) {
            return self.push_nothing();
        }
        match (&mut self.cells, &other.cells) {
            (Cells::Whole(cells), Cells::Whole(others)) => cells.push(others[row]),
            (Cells::Real(cells), Cells::Real(others)) => cells.push(others[row]),
            (Cells::Truth(cells), Cells::Truth(others)) => cells.push(others[row]),
            (Cells::Words(words), Cells::Words(others)) => {
                words.push(&others.words[others.numbers[row] as usize]);
            }
            _ => return self.push_nothing(),
        }
        self.note_value();
    }

    /// The value in a cell.
    pub(crate) fn cell(&self, row: usize) -> Cell<'_> {
        if !self.has(row) {
            return Cell::Nothing;
        }
        match &self.cells {
            Cells::Whole(cells) => Cell::Whole(cells[row]),
            Cells::Real(cells) => Cell::Real(cells[row]),
            Cells::Truth(cells) => Cell::Truth(cells[row]),
            Cells::Words(words) => Cell::Word(&words.words[words.numbers[row] as usize]),
        }
    }

    fn has(&self, row: usize) -> bool {
        self.present.as_ref().is_none_or(|present| present[row])
    }

    /// Its cells as Python's objects, `None` where there is no value.
    fn list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let objects = match &self.cells {
            Cells::Whole(cells) => {
                self.objects(py, cells, |cell| Ok(cell.into_pyobject(py)?.into_any()))
            }
            Cells::Real(cells) => {
                self.objects(py, cells, |cell| Ok(cell.into_pyobject(py)?.into_any()))
            }
            Cells::Truth(cells) => self.objects(py, cells, |cell| {
                Ok(cell.into_pyobject(py)?.to_owned().into_any())
            }),
            Cells::Words(words) => {
                let known: Vec<_> = words
                    .words
                    .iter()
                    .map(|word| PyString::new(py, word))
                    .collect();
                self.objects(py, &words.numbers, |number| {
                    Ok(known[number as usize].clone().into_any())
                })
            }
        };
        PyList::new(py, objects?)
    }

    fn objects<'py, T: Copy>(
        &self,
        py: Python<'py>,
        cells: &[T],
        object: impl Fn(T) -> PyResult<Bound<'py, PyAny>>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let cell = |(row, cell): (usize, &T)| match self.has(row) {
            true => object(*cell),
            false => Ok(py.None().into_bound(py)),
        };
        cells.iter().enumerate().map(cell).collect()
    }

    /// Its cells as an array, where there are values (everywhere if `None`), and of text the words
    /// of which the array has the numbers.
    fn arrays<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let mut known = None;
        let cells = match &self.cells {
            Cells::Whole(cells) => whole(py, cells)?,
            Cells::Real(cells) => array(py, cells)?,
            Cells::Truth(cells) => array(py, cells)?,
            Cells::Words(words) => {
                known = Some(words.words.clone());
                array(py, &words.numbers)?
            }
        };
        let present = self.present.as_ref();
        let present = present.map(|present| array(py, present)).transpose()?;
        (cells, present, known).into_pyobject(py)
    }

    /// Takes the cells from such arrays.
    fn fill(&mut self, arrays: &Bound<'_, PyAny>) -> PyResult<()> {
        type Parts<'py> = (Bound<'py, PyAny>, Option<Vec<bool>>, Option<Vec<String>>);
        let (array, present, known): Parts<'_> = arrays.extract()?;
        self.present = present;
        match &mut self.cells {
            Cells::Whole(cells) => *cells = read_whole(&array)?,
            Cells::Real(cells) => *cells = arrays::cells(&array)?,
            Cells::Truth(cells) => {
                let bytes: Vec<u8> = arrays::cells(&array.call_method1("view", ("u1",))?)?;
                *cells = bytes.into_iter().map(|byte| byte != 0).collect();
            }
            Cells::Words(words) => {
                words.words = known.unwrap_or_default();
                let numbered = (0..).zip(&words.words);
                words.number_of = numbered
                    .map(|(number, word)| (word.clone(), number))
                    .collect();
                words.numbers = arrays::cells(&array)?;
            }
        }
        Ok(())
    }
}

/// Numbers with a sign, as everybody expects them, unless one is too large for that: a seed may be.
fn whole<'py>(py: Python<'py>, cells: &[u64]) -> PyResult<Bound<'py, PyAny>> {
    let signed: Result<Vec<i64>, _> = cells.iter().map(|cell| i64::try_from(*cell)).collect();
    match signed {
        Ok(signed) => array(py, signed),
        Err(_) => array(py, cells),
    }
}

fn read_whole(array: &Bound<'_, PyAny>) -> PyResult<Vec<u64>> {
    match arrays::cells::<i64>(array) {
        Ok(signed) => Ok(signed.into_iter().map(|cell| cell as u64).collect()),
        Err(_) => arrays::cells(array),
    }
}

/// The definitions of all tables.
fn definitions() -> &'static [columns::Table] {
    static TABLES: OnceLock<Vec<columns::Table>> = OnceLock::new();
    TABLES.get_or_init(columns::tables)
}

impl Table {
    /// The table of this name, without rows.
    pub fn new(name: &str) -> PyResult<Table> {
        let found = definitions().iter().find(|table| table.name == name);
        let unknown = || SimulationError::new_err(format!("no table is called {name:?}"));
        let found = found.ok_or_else(unknown)?;
        let own = found
            .columns
            .iter()
            .map(|column| Column::new(&column.name, &column.kind));
        Ok(Table {
            name: found.name,
            columns: [Column::new("run", "integer")]
                .into_iter()
                .chain(own)
                .collect(),
        })
    }

    /// How many rows it has.
    pub fn rows(&self) -> usize {
        self.columns[0].cells.len()
    }

    fn runs(&self) -> &[u64] {
        match &self.columns[0].cells {
            Cells::Whole(runs) => runs,
            _ => &[],
        }
    }

    /// The run of each row.
    pub(crate) fn run(&self, row: usize) -> usize {
        self.runs().get(row).map_or(0, |run| *run as usize)
    }

    /// Adds a row of another table of this name, which is of this run.
    fn push_row(&mut self, run: u64, other: &Table, row: usize) {
        let pairs = self.columns.iter_mut().zip(&other.columns);
        for (column, cells) in pairs.skip(1) {
            column.push_cell(cells, row);
        }
        if let Cells::Whole(runs) = &mut self.columns[0].cells {
            runs.push(run);
        }
    }
}

#[pymethods]
impl Table {
    /// The table of this name from the columns of `arrays`.
    #[new]
    fn of(name: &str, arrays: &Bound<'_, PyDict>) -> PyResult<Table> {
        let mut table = Table::new(name)?;
        for column in &mut table.columns {
            if let Some(given) = arrays.get_item(column.name)? {
                column.fill(&given)?;
            }
        }
        Ok(table)
    }

    /// Tables of one name as one: of each the numbers that its runs have among all. Rows are in the
    /// order of these, those of a run in their own.
    #[staticmethod]
    fn joined(name: &str, parts: Vec<(Vec<u64>, PyRef<'_, Table>)>) -> PyResult<Table> {
        let mut table = Table::new(name)?;
        let rows = parts.iter().enumerate().flat_map(|(part, (numbers, of))| {
            let runs = of.runs().iter().enumerate();
            runs.map(move |(row, run)| (numbers[*run as usize], part, row))
        });
        let mut rows: Vec<(u64, usize, usize)> = rows.collect();
        rows.sort_by_key(|row| row.0);
        for (run, part, row) in rows {
            table.push_row(run, &parts[part].1, row);
        }
        Ok(table)
    }

    /// Its columns as lists, in which `None` is no value.
    fn lists<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for column in &self.columns {
            dict.set_item(column.name, column.list(py)?)?;
        }
        Ok(dict)
    }

    /// Its columns as arrays: the cells, where there are values (everywhere if `None`), and of text
    /// the words of which the cells are numbers.
    fn arrays<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for column in &self.columns {
            dict.set_item(column.name, column.arrays(py)?)?;
        }
        Ok(dict)
    }

    #[getter]
    fn name(&self) -> &'static str {
        self.name
    }

    fn __len__(&self) -> usize {
        self.rows()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Table>) -> PyResult<Bound<'py, PyTuple>> {
        let (py, table) = (slf.py(), slf.get());
        (slf.get_type(), (table.name, table.arrays(py)?)).into_pyobject(py)
    }
}

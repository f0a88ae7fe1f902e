// Requests of the page, and their answers. `crates/compare` and `python/flowstart/explorer` have them
// from the other side; a test compares the fields.

/** What a person has chosen: flags of `flowstart compare` without their dashes. */
export interface Given {
  /** As the command line takes them: "50Mbps", "80ms", "1bdp", "0.1%", a path's name, a stack. */
  [flag: string]: string | number | string[] | undefined;
  /** Names of startups, with parameters: `limited-slow-start:max_ssthresh=100`. */
  startup?: string[];
}

/** Requests the table and what every startup did over time. */
export interface CompareRequest {
  given: Given;
  /** Pixels over which lines are drawn; what is answered has at most twice as many bins. */
  columns: number;
  /** The part of the time that is looked at, in seconds; without it, all of it. */
  from_s?: number;
  to_s?: number;
}

/** A parameter of an algorithm, given as `limited-slow-start:max_ssthresh=100`. */
export interface Parameter {
  name: string;
  unit: string;
  default: string;
  meaning: string;
}

/** A startup, a congestion control or a queue discipline of the catalog. */
export interface Algorithm {
  name: string;
  title: string;
  summary: string;
  /** What it needs beyond an ordinary sender, in words. */
  needs: string;
  /** How well founded it is, in words. */
  certainty: string;
  params: Parameter[];
}

/** A field of a path or of the traffic, as a flag of `flowstart compare`. */
export interface Field {
  /** Its flag without dashes: `reverse-rate`. */
  flag: string;
  /** The placeholder of its value in the help: `RATE`; empty for a switch. */
  value: string;
  help: string;
  /** What holds where it is not given, in words. */
  usual: string | null;
}

/** What there is to choose from: the answer of `/api/about`. */
export interface About {
  version: string;
  startups: Algorithm[];
  avoidances: Algorithm[];
  queues: Algorithm[];
  /** Startups in Python, as they were named on the command line. */
  custom: string[];
  /** Paths known by name; `given` has what a path sets, by flag. */
  paths: { name: string; about: string; given: Record<string, string> }[];
  stacks: { name: string; about: string }[];
  /** All flags that `given` may have, those of the path first. */
  fields: Field[];
  /** What is looked at first. */
  first: Given;
  /** Folders of sweeps that were named on the command line, for the map. */
  maps: string[];
}

/** A table as the command line prints it. */
export interface Grid {
  title: string;
  columns: { title: string; number: boolean }[];
  rows: string[][];
  /** Headings within the table, by the number of the row that they stand above. */
  groups: Record<string, string>;
  /** Numbers of the rows that are marked. */
  marked: number[];
}

/**
 * A line over time as a part of the answer's binary tail: `count` bins of time (Uint16, counted
 * from `from_s` in steps of `bin_s`) at `bins`, and as many values (Float32) at `values`, both byte
 * offsets into the tail. A value holds until the next. Of each bin the minimum and the maximum
 * are there, and the last.
 */
export interface Line {
  bins: number;
  values: number;
  count: number;
}

/** What happened to packets: a point for every bin and height of a pixel. */
export interface Points extends Line {
  /** How many there were, of which some may share a point. */
  total: number;
}

export interface Exit {
  at_s: number;
  cwnd_segments: number;
  reason: string;
}

/** What one startup's flow did over time. */
export interface Trajectory {
  startup: string;
  flow: number;
  bdp_pkts: number;
  /** When the receiver had all of it; null where it never had. */
  done_s: number | null;
  /** When its last byte was acknowledged, or the run ended. */
  end_s: number;
  exit: Exit | null;
  lines: {
    /** Segments. */
    cwnd: Line;
    /** Bytes. */
    flight: Line;
    /** The first position that was not sent, bytes. */
    sent: Line;
    /** All below it is acknowledged, bytes. */
    acked: Line;
    /** Bits per second; empty where it does not pace. */
    pacing: Line;
    /** Bytes whose arrival is acknowledged, in order or above a hole. */
    delivered: Line;
    /** Packets in the bottleneck's queue. */
    queue: Line;
    /** What kept it from sending for the longest time of a bin, by its place among the reasons. */
    limit: Line;
  };
  /** Positions in bytes; `timeout` has the window, in segments. */
  events: { retransmit: Points; drop: Points; mark: Points; timeout: Points };
}

export interface CompareAnswer {
  headline: string;
  /** What is compared: the names of `given.startup`, with groups such as `all` written out. */
  startups: string[];
  /** The command that prints the same table; null where there is none. */
  command: string | null;
  /** A scenario's file with the first startup. */
  scenario: string;
  table: Grid;
  legend: string;
  warnings: string[];
  /** Of the rows of `compare --json` those of the flows in `trajectories`. */
  rows: Record<string, unknown>[];
  from_s: number;
  bin_s: number;
  trajectories: Trajectory[];
}

/** The table again with intervals, and what they make of it. */
export interface IntervalsAnswer {
  table: Grid;
  legend: string;
  verdict: string[];
}

/** Requests single packets of one flow: those that leave before `until_s`. */
export interface PacketsRequest {
  given: Given;
  /** Which of `given.startup`. */
  startup: string;
  /** At most so many packets. */
  most: number;
}

/** Packets as columns; times are seconds, null where it did not happen. */
export interface PacketsAnswer {
  rtt_s: number;
  /** "data", "again" (a retransmission), "ack", "syn". */
  kind: string[];
  /** From the data's sender to its receiver. */
  forward: boolean[];
  /** First byte, or the acknowledgement's number. */
  seq: number[];
  sent_s: number[];
  /** When it came to the bottleneck's queue, and when it left it to be transmitted. */
  queued_s: (number | null)[];
  left_s: (number | null)[];
  dropped_s: (number | null)[];
  received_s: (number | null)[];
  /** There are more. */
  cut: boolean;
}

/** Every refusal: a sentence that names what is wrong and what would be right. */
export interface Refusal {
  error: string;
}

/** An answer with a binary tail: the length of its JSON (Uint32, little endian), the JSON, and,
 * from the next multiple of four on, the tail. */
export function unpack<T>(buffer: ArrayBuffer): { head: T; tail: DataView } {
  const length = new DataView(buffer).getUint32(0, true);
  const text = new TextDecoder().decode(new Uint8Array(buffer, 4, length));
  const begin = (4 + length + 3) & ~3;
  return { head: JSON.parse(text) as T, tail: new DataView(buffer, begin) };
}

/** A line's bins and values. */
export function points(line: Line, tail: DataView): { bins: Uint16Array; values: Float32Array } {
  const { buffer, byteOffset } = tail;
  return {
    bins: new Uint16Array(buffer, byteOffset + line.bins, line.count),
    values: new Float32Array(buffer, byteOffset + line.values, line.count),
  };
}

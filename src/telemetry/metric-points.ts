import type { HistogramPoint, Labels, MetricReading } from "../observe/exposition.ts";
import { type OtlpBytes, prefixed, type Times } from "./otlp-bytes.ts";
import { type TelemetrySource, writeExport } from "./source.ts";

/** Fields of OpenTelemetry's messages, as tags. */
const METRIC = 0x12;
const NAME = 0x0a;
const DESCRIPTION = 0x12;
const UNIT = 0x1a;
const GAUGE = 0x2a;
const SUM = 0x3a;
const HISTOGRAM = 0x4a;
const POINT = 0x0a;
const TEMPORALITY = 0x10;
const IS_MONOTONIC = 0x18;
const CUMULATIVE = 2;
const START = 0x11;
const TIME = 0x19;
const VALUE = 0x21;
const ATTRIBUTE = 0x3a;
const COUNT = 0x21;
const TOTAL = 0x29;
/** Numbers of a list lie packed behind one tag, the lowest byte of each first, as in this machine's memory. */
const HITS = 0x32;
const BOUNDS = 0x3a;
const HISTOGRAM_ATTRIBUTE = 0x4a;

/** An export of the gateway's metrics under the names that `/metrics` has them by. `times`: since when they count, and when they were read. */
export function writeMetrics(
  bytes: OtlpBytes,
  readings: readonly MetricReading[],
  times: Times,
  source: TelemetrySource,
): Uint8Array {
  return writeExport(bytes, source, () => {
    for (const reading of readings) if (reading.points.length > 0) writeMetric(bytes, reading, times);
  });
}

function writeMetric(bytes: OtlpBytes, reading: MetricReading, times: Times): void {
  const { name, help, type } = reading;
  const metric = bytes.begin(METRIC);
  bytes.text(NAME, name);
  bytes.text(DESCRIPTION, help);
  bytes.text(UNIT, name.includes("_seconds") ? "s" : name.includes("_bytes") ? "By" : "1");
  const data = bytes.begin(type === "histogram" ? HISTOGRAM : type === "gauge" ? GAUGE : SUM);
  if (reading.type === "histogram")
    for (const point of reading.points) writeHistogram(bytes, reading.bounds, point, times);
  else for (const [labels, value] of reading.points) writePoint(bytes, labels, value, times);
  if (type !== "gauge") bytes.number(TEMPORALITY, CUMULATIVE);
  if (type === "counter") bytes.number(IS_MONOTONIC, 1);
  bytes.end(data);
  bytes.end(metric);
}

function writePoint(bytes: OtlpBytes, labels: Labels, value: number, times: Times): void {
  const point = bytes.begin(POINT);
  writeTimes(bytes, times);
  bytes.double(VALUE, value);
  for (const [name, text] of Object.entries(labels)) bytes.attribute(ATTRIBUTE, name, text);
  bytes.end(point);
}

function writeHistogram(
  bytes: OtlpBytes,
  bounds: readonly number[],
  { labels, hits, sum, count }: HistogramPoint,
  times: Times,
): void {
  const point = bytes.begin(POINT);
  writeTimes(bytes, times);
  bytes.fixed(COUNT, count);
  bytes.double(TOTAL, sum);
  bytes.put(prefixed(HITS, new Uint8Array(BigUint64Array.from(hits, BigInt).buffer)));
  bytes.put(prefixed(BOUNDS, new Uint8Array(Float64Array.from(bounds).buffer)));
  for (const [name, text] of Object.entries(labels)) bytes.attribute(HISTOGRAM_ATTRIBUTE, name, text);
  bytes.end(point);
}

function writeTimes(bytes: OtlpBytes, { began_ms, ended_ms }: Times): void {
  bytes.time(START, began_ms);
  bytes.time(TIME, ended_ms);
}

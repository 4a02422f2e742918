import { type OtlpBytes, textValue } from "./otlp-bytes.ts";
import { type TelemetrySource, writeExport } from "./source.ts";

/** Fields of OpenTelemetry's messages, as tags. */
const RECORD = 0x12;
const TIME = 0x09;
const SEVERITY = 0x10;
const SEVERITY_TEXT = 0x1a;
const BODY = 0x2a;
const ATTRIBUTE = 0x32;
const OBSERVED = 0x59;

/** OpenTelemetry's numbers of the log's levels. */
const SEVERITIES: Readonly<Record<string, number>> = { trace: 1, debug: 5, info: 9, warn: 13, error: 17, fatal: 21 };

/** An export of lines of the log. Their fields are those that the lines have: the log's own rules say what they may be. */
export function writeLogs(bytes: OtlpBytes, lines: readonly string[], source: TelemetrySource): Uint8Array {
  return writeExport(bytes, source, () => {
    for (const line of lines) writeLine(bytes, line);
  });
}

function writeLine(bytes: OtlpBytes, line: string): void {
  const { level, time, msg, err, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const at_ms = Date.parse(String(time));
  const record = bytes.begin(RECORD);
  bytes.time(TIME, at_ms);
  bytes.number(SEVERITY, SEVERITIES[String(level)] ?? 0);
  bytes.text(SEVERITY_TEXT, String(level).toUpperCase());
  bytes.put(textValue(BODY, String(msg ?? "")));
  for (const [name, value] of Object.entries(fields).map(named)) bytes.attribute(ATTRIBUTE, name, value);
  for (const [name, value] of exceptionOf(err)) bytes.attribute(ATTRIBUTE, name, value);
  bytes.time(OBSERVED, at_ms);
  bytes.end(record);
}

function named([name, value]: [string, unknown]): [string, string | number | boolean] {
  const is_plain = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  return [name === "request_id" ? "camino.request_id" : name, is_plain ? value : JSON.stringify(value)];
}

/** An error under the names that OpenTelemetry has for its parts. */
function exceptionOf(err: unknown): [name: string, value: string][] {
  if (typeof err !== "object" || err === null) return [];
  const { type, message, stack } = err as Record<string, unknown>;
  const parts = { "exception.type": type, "exception.message": message, "exception.stacktrace": stack };
  return Object.entries(parts).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : []));
}

import type { ProtobufLogsSerializer } from "@opentelemetry/otlp-transformer";
import { hrTime, type Source } from "./source.ts";

export type ExportedLog = Parameters<typeof ProtobufLogsSerializer.serializeRequest>[0][number];

/** OpenTelemetry's numbers of the log's levels. */
const SEVERITIES: Readonly<Record<string, number>> = { trace: 1, debug: 5, info: 9, warn: 13, error: 17, fatal: 21 };

/** A line of the log as a record. Its fields are those that the line has: the log's own rules say what they may be. */
export function logRecord(line: string, source: Source): ExportedLog {
  const { level, time, msg, err, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const at = hrTime(Date.parse(String(time)));
  return {
    hrTime: at,
    hrTimeObserved: at,
    severityText: String(level).toUpperCase(),
    severityNumber: SEVERITIES[String(level)] ?? 0,
    body: String(msg ?? ""),
    attributes: { ...Object.fromEntries(Object.entries(fields).map(named)), ...exceptionOf(err) },
    droppedAttributesCount: 0,
    ...source,
  };
}

function named([name, value]: [string, unknown]): [string, string | number | boolean] {
  const is_plain = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  return [name === "request_id" ? "camino.request_id" : name, is_plain ? value : JSON.stringify(value)];
}

/** An error under the names that OpenTelemetry has for its parts. */
function exceptionOf(err: unknown): Record<string, string> {
  if (typeof err !== "object" || err === null) return {};
  const { type, message, stack } = err as Record<string, unknown>;
  const parts = { "exception.type": type, "exception.message": message, "exception.stacktrace": stack };
  return Object.fromEntries(
    Object.entries(parts).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
  );
}

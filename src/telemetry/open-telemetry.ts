import {
  LogsExporterMetricsHelper,
  MetricsExporterMetricsHelper,
  ProtobufLogsSerializer,
  ProtobufMetricsSerializer,
  ProtobufTraceSerializer,
} from "@opentelemetry/otlp-transformer";
import type { TelemetrySettings } from "../core/catalog/telemetry-settings.ts";
import { systemClock } from "../core/clock.ts";
import type { Tracing } from "../observe/call-trace.ts";
import type { Log } from "../observe/log.ts";
import type { Metrics } from "../observe/metrics.ts";
import { CallSpans } from "./call-spans.ts";
import { ExportQueue } from "./export-queue.ts";
import { logRecord } from "./log-records.ts";
import { metricPoints } from "./metric-points.ts";
import { otlpSender, type Signal } from "./otlp-sender.ts";
import { hrTime, type Source, sourceOf } from "./source.ts";
import { type TracedCall, Tracer } from "./tracer.ts";

/** So many calls or lines wait at most, which are some megabytes. */
const MOST_WAITING = 2048;
/** A batch of calls takes the event loop a millisecond or two. */
const BATCH_CALLS = 256;
const BATCH_LINES = 256;
/** How long calls and lines are gathered. */
const SEND_EVERY_MS = 500;
const METRICS_EVERY_MS = 60_000;
/** What the collector did not take is told at most so often. */
const TOLD_EVERY_MS = 60_000;
/** How long the end of the gateway waits for the collector, for each signal. */
const PATIENCE_MS = 2_000;

export interface TelemetryParts {
  readonly settings: TelemetrySettings;
  readonly version: string;
  readonly node_id: string;
  readonly metrics: Metrics;
  readonly log: Log;
  /** Has every line of the log taken from now on. */
  readonly tap: (take: (line: string) => void) => void;
}

export interface Telemetry {
  readonly tracing?: Tracing;
  /** Sends what waits, and ends. Never rejects. */
  close(): Promise<void>;
}

/** Starts to send what the settings ask for. This is the way in to OpenTelemetry's packages: whoever does not configure it does not load them. */
export function openTelemetry(parts: TelemetryParts): Telemetry {
  const { settings, metrics } = parts;
  const source = sourceOf({ ...parts, service_name: settings.service_name });
  const traces = settings.traces === null ? null : traceQueue(parts, source);
  const logs = settings.logs ? logQueue(parts, source) : null;
  const readings = settings.metrics ? metricReadings(parts, source) : null;
  const waiting = () => (traces?.waiting ?? 0) + (logs?.waiting ?? 0);
  metrics.gauge(
    "camino_telemetry_waiting",
    "Calls and lines of the log that wait for OpenTelemetry's collector.",
    waiting,
  );
  return {
    ...(traces !== null &&
      settings.traces !== null && {
        tracing: new Tracer({
          ...settings.traces,
          forwards: settings.forward_traceparent,
          take: (call) => traces.add(call),
        }),
      }),
    close: async () => {
      await Promise.all([traces, logs, readings].map((queue) => queue?.close(PATIENCE_MS)));
    },
  };
}

function traceQueue(parts: TelemetryParts, source: Source): ExportQueue<TracedCall> {
  const spans = new CallSpans(source, parts.settings.conventions);
  const { deserializeResponse } = ProtobufTraceSerializer;
  const serializer = { serializeRequest: (calls: readonly TracedCall[]) => spans.write(calls), deserializeResponse };
  const helper = { name: "span" as const, countItems: (calls: readonly TracedCall[]) => calls.length };
  const send = otlpSender(parts.settings, "traces", { serializer, helper });
  const counts = countsOf(parts, "traces");
  return new ExportQueue({ most: MOST_WAITING, batch: BATCH_CALLS, every_ms: SEND_EVERY_MS, counts, send });
}

function logQueue(parts: TelemetryParts, source: Source): ExportQueue<string> {
  const send = otlpSender(parts.settings, "logs", {
    serializer: ProtobufLogsSerializer,
    helper: LogsExporterMetricsHelper,
  });
  const queue = new ExportQueue<string>({
    ...{ most: MOST_WAITING, batch: BATCH_LINES, every_ms: SEND_EVERY_MS, counts: countsOf(parts, "logs") },
    send: (lines) => send(lines.map((line) => logRecord(line, source))),
  });
  parts.tap((line) => queue.add(line));
  return queue;
}

/** Reads the metrics each minute, and once more at the end. */
function metricReadings(parts: TelemetryParts, source: Source): { close(patience_ms: number): Promise<void> } {
  const { settings, metrics } = parts;
  const writer = { serializer: ProtobufMetricsSerializer, helper: MetricsExporterMetricsHelper };
  const send = otlpSender(settings, "metrics", writer);
  const startTime = hrTime(performance.timeOrigin);
  const queue = new ExportQueue<number>({
    // A reading that waits says nothing that the next one does not say.
    ...{ most: 1, batch: 1, every_ms: 0, counts: countsOf(parts, "metrics") },
    send: ([at_ms = systemClock.now_ms()]) =>
      send(metricPoints(metrics.read(), { startTime, endTime: hrTime(at_ms) }, source)),
  });
  const timer = setInterval(() => queue.add(systemClock.now_ms()), METRICS_EVERY_MS);
  return {
    close: async (patience_ms) => {
      clearInterval(timer);
      queue.add(systemClock.now_ms());
      await queue.close(patience_ms);
    },
  };
}

/** Counts what was sent and what was not, and tells of it now and then. The collector's words are not told: they may repeat what it was sent. */
function countsOf({ metrics, log }: TelemetryParts, signal: Signal) {
  let told_ms = Number.NEGATIVE_INFINITY;
  return {
    sent: (count: number) => metrics.telemetry_sent.add(count, signal),
    dropped: (count: number, reason: "full" | "failed", thrown?: unknown) => {
      if (count === 0) return;
      metrics.telemetry_dropped.add(count, signal, reason);
      const now_ms = performance.now();
      if (now_ms - told_ms < TOLD_EVERY_MS) return;
      told_ms = now_ms;
      log.warn({ signal, reason, why: reasonOf(thrown) }, "OpenTelemetry's collector does not take what it is sent");
    },
  };
}

function reasonOf(thrown: unknown): string | null {
  return thrown instanceof Error ? thrown.message.slice(0, 200) : null;
}

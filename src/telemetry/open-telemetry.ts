import type { TelemetrySettings } from "../core/catalog/telemetry-settings.ts";
import { systemClock } from "../core/clock.ts";
import type { Tracing } from "../observe/call-trace.ts";
import type { Log } from "../observe/log.ts";
import type { Metrics } from "../observe/metrics.ts";
import { RandomIds } from "../observe/random-ids.ts";
import { CallSpans } from "./call-spans.ts";
import { type ExportCounts, ExportQueue } from "./export-queue.ts";
import { writeLogs } from "./log-records.ts";
import { writeMetrics } from "./metric-points.ts";
import { OtlpBytes } from "./otlp-bytes.ts";
import { type Collector, OtlpSender, type Signal } from "./otlp-sender.ts";
import { sourceOf, type TelemetrySource } from "./source.ts";
import { type TracedCall, Tracer } from "./tracer.ts";

/** The most calls or lines that wait, which take some megabytes. */
const MOST_WAITING = 2048;
/** Writing a batch of calls takes the event loop about half a millisecond. */
const BATCH_CALLS = 256;
const BATCH_LINES = 256;
/** How long calls and lines are gathered. */
const SEND_EVERY_MS = 500;
const METRICS_EVERY_MS = 60_000;
/** The least time between two warnings that the collector did not take something. */
const TOLD_EVERY_MS = 60_000;
/** How long the end of the gateway waits for the collector, for each signal. */
const PATIENCE_MS = 2_000;

export interface TelemetryParts {
  readonly settings: TelemetrySettings;
  readonly version: string;
  readonly node_id: string;
  /** What sends to the collector. */
  readonly upstream: Collector;
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

interface SignalParts extends TelemetryParts {
  readonly source: TelemetrySource;
  readonly ids: RandomIds;
  readonly senders: OtlpSender[];
}

/** Starts to send what the settings ask for. */
export function openTelemetry(parts: TelemetryParts): Telemetry {
  const { settings, metrics } = parts;
  const source = sourceOf({ ...parts, service_name: settings.service_name });
  const shared: SignalParts = { ...parts, source, ids: new RandomIds(), senders: [] };
  const traces = settings.traces === null ? null : traceQueue(shared);
  const logs = settings.logs ? logQueue(shared) : null;
  const readings = settings.metrics ? metricReadings(shared) : null;
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
          ids: shared.ids,
          forwards: settings.forward_traceparent,
          take: (call) => traces.add(call),
        }),
      }),
    close: async () => {
      await Promise.all([traces, logs, readings].map((queue) => queue?.close(PATIENCE_MS)));
      for (const sender of shared.senders) sender.stop();
    },
  };
}

interface QueueSizes {
  readonly most: number;
  readonly batch: number;
  readonly every_ms: number;
}

/** A queue of a signal, whose batches `write` makes ready. */
function queueOf<Item>(
  shared: SignalParts,
  signal: Signal,
  sizes: QueueSizes,
  write: (batch: readonly Item[]) => Uint8Array,
): ExportQueue<Item> {
  const { upstream, settings, version, senders, log } = shared;
  const sender = new OtlpSender(upstream, { ...settings, version }, signal);
  senders.push(sender);
  const tell = seldom((refused: number) => {
    log.warn({ signal, refused }, "OpenTelemetry's collector has refused a part of what it was sent");
  });
  return new ExportQueue<Item>({
    ...{ ...sizes, counts: countsOf(shared, signal) },
    async send(batch) {
      const refused = await sender.send(write(batch));
      if (refused > 0) tell(refused);
    },
  });
}

function traceQueue(shared: SignalParts): ExportQueue<TracedCall> {
  const spans = new CallSpans(shared.source, shared.settings.conventions, shared.ids);
  const sizes = { most: MOST_WAITING, batch: BATCH_CALLS, every_ms: SEND_EVERY_MS };
  return queueOf<TracedCall>(shared, "traces", sizes, (calls) => spans.write(calls));
}

function logQueue(shared: SignalParts): ExportQueue<string> {
  const bytes = new OtlpBytes(shared.ids);
  const sizes = { most: MOST_WAITING, batch: BATCH_LINES, every_ms: SEND_EVERY_MS };
  const queue = queueOf<string>(shared, "logs", sizes, (lines) => writeLogs(bytes, lines, shared.source));
  shared.tap((line) => queue.add(line));
  return queue;
}

/** Reads the metrics each minute, and once more at the end. */
function metricReadings(shared: SignalParts): { close(patience_ms: number): Promise<void> } {
  const { metrics, source } = shared;
  const bytes = new OtlpBytes(shared.ids);
  // One reading is enough, as the next one says the same and more.
  const sizes = { most: 1, batch: 1, every_ms: 0 };
  const queue = queueOf<number>(shared, "metrics", sizes, ([ended_ms = systemClock.now_ms()]) =>
    writeMetrics(bytes, metrics.read(), { began_ms: performance.timeOrigin, ended_ms }, source),
  );
  const timer = setInterval(() => queue.add(systemClock.now_ms()), METRICS_EVERY_MS);
  return {
    close: async (patience_ms) => {
      clearInterval(timer);
      queue.add(systemClock.now_ms());
      await queue.close(patience_ms);
    },
  };
}

/** Counts what was sent and what was not, and warns now and then. The collector's own words are left out, as they may repeat what it was sent. */
function countsOf({ metrics, log }: TelemetryParts, signal: Signal): ExportCounts {
  const tell = seldom((reason: string, thrown: unknown) => {
    log.warn({ signal, reason, why: reasonOf(thrown) }, "OpenTelemetry's collector does not take what it is sent");
  });
  return {
    sent: (count) => metrics.telemetry_sent.add(count, signal),
    dropped: (count, reason, thrown) => {
      if (count === 0) return;
      metrics.telemetry_dropped.add(count, signal, reason);
      tell(reason, thrown);
    },
  };
}

/** A function that is called once a minute at most. */
function seldom<Told extends unknown[]>(tell: (...told: Told) => void): (...told: Told) => void {
  let told_ms = Number.NEGATIVE_INFINITY;
  return (...told) => {
    const now_ms = performance.now();
    if (now_ms - told_ms < TOLD_EVERY_MS) return;
    told_ms = now_ms;
    tell(...told);
  };
}

function reasonOf(thrown: unknown): string | null {
  return thrown instanceof Error ? thrown.message.slice(0, 200) : null;
}

import { Counter } from "./counter.ts";
import { type Metric, type MetricReading, writeHead, writeSample } from "./exposition.ts";
import { Histogram } from "./histogram.ts";

/**
 * The gateway's metrics, under their names in `/metrics`. Labels are bounded: endpoints, models of the catalogue,
 * vendors and statuses, never a text that a client chose.
 */
export class Metrics {
  readonly #metrics: Metric[] = [];

  readonly requests = this.#show(
    new Counter({
      name: "camino_requests_total",
      help: "Finished API requests by endpoint and HTTP status.",
      labels: ["endpoint", "status"],
    }),
  );

  readonly request_duration = this.#show(
    new Histogram({
      name: "camino_request_duration_seconds",
      help: "From a request's arrival to the last byte of its answer.",
      label: "endpoint",
      buckets: [0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900],
    }),
  );

  readonly first_byte = this.#show(
    new Histogram({
      name: "camino_first_byte_seconds",
      help: "From a request's arrival to the first byte of its answer.",
      label: "endpoint",
      buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120],
    }),
  );

  readonly overhead = this.#show(
    new Histogram({
      name: "camino_overhead_seconds",
      help: "The gateway's own time in a call, by part: request (from its arrival to the first vendor's request, without the time that its body took to arrive and its hook to answer), answer (from the vendor's first byte of a stream, or its last of a whole answer, until it goes on to the client or to its settlement), settlement (until the charge is durable).",
      label: "part",
      buckets: [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    }),
  );

  readonly attempts = this.#show(
    new Counter({
      name: "camino_upstream_attempts_total",
      help: "Calls to vendors by vendor and result (ok, or the error code that the attempt ended in).",
      labels: ["vendor", "result"],
    }),
  );

  readonly tokens = this.#show(
    new Counter({
      name: "camino_tokens_total",
      help: "Billed tokens by model and class.",
      labels: ["model", "class"],
    }),
  );

  readonly charged = this.#show(
    new Counter({
      name: "camino_charged_micro_total",
      help: "Charged money in micro units, by model.",
      labels: ["model"],
    }),
  );

  readonly operator_loss = this.#show(
    new Counter({
      name: "camino_operator_loss_micro_total",
      help: "Money in micro units that an answer cost beyond what could be charged, by model.",
      labels: ["model"],
    }),
  );

  readonly estimated = this.#show(
    new Counter({
      name: "camino_estimated_usage_total",
      help: "Answers whose usage was estimated: the vendor sent none, or none that can be believed.",
      labels: ["vendor", "reason"],
    }),
  );

  readonly store_notices = this.#show(
    new Counter({
      name: "camino_store_notices_total",
      help: "What the database said that a person must know, by level: each is a line of the log.",
      labels: ["level"],
    }),
  );

  readonly disbelieved = this.#show(
    new Counter({
      name: "camino_disbelieved_usage_total",
      help: "Answers of whose vendor's usage a part was not believed, by vendor and part: input, output, calls.",
      labels: ["vendor", "part"],
    }),
  );

  readonly unpriced = this.#show(
    new Counter({
      name: "camino_unpriced_usage_total",
      help: "Answers whose usage has counts that the model's price has no class for, by model. Their receipts name them.",
      labels: ["model"],
    }),
  );

  readonly late_settlements = this.#show(
    new Counter({
      name: "camino_late_settlements_total",
      help: "Ends of requests (settled, voided) that came after a recovery had ended the hold; the difference was booked as a correction.",
      labels: ["end"],
    }),
  );

  readonly database_troubles = this.#show(
    new Counter({
      name: "camino_database_troubles_total",
      help: "Works that failed because the database could not be used: unreachable, silent, busy, read_only, disk_full, other_database.",
      labels: ["trouble"],
    }),
  );

  readonly failovers = this.#show(
    new Counter({
      name: "camino_failover_requests_total",
      help: "Requests whose acknowledged commits were missing after a failover: mended (committed again) or lost.",
      labels: ["result"],
    }),
  );

  readonly stored_responses = this.#show(
    new Counter({
      name: "camino_stored_responses_total",
      help: "Responses that were to be kept for references, by what became of them: kept, unreadable, too_large, no_room, late.",
      labels: ["result"],
    }),
  );

  readonly cache_answers = this.#show(
    new Counter({
      name: "camino_cache_answers_total",
      help: "Requests that asked for the cache of answers, by what they found: hit, miss, refresh, bypass.",
      labels: ["result"],
    }),
  );

  readonly cache_stores = this.#show(
    new Counter({
      name: "camino_cache_stores_total",
      help: "Answers that were to be stored for the cache, by what became of them: kept, too_large, no_room, failed, unreadable.",
      labels: ["result"],
    }),
  );

  readonly cache_saved = this.#show(
    new Counter({
      name: "camino_cache_saved_micro_total",
      help: "What answers from the cache would have cost beyond their own price, by model, in micro units of the currency.",
      labels: ["model"],
    }),
  );

  readonly contents = this.#show(
    new Counter({
      name: "camino_contents_total",
      help: "Requests whose contents were to be kept, by what became of them: kept, no_room, failed.",
      labels: ["result"],
    }),
  );

  readonly refusals = this.#show(
    new Counter({
      name: "camino_refusals_total",
      help: "Requests that were refused by their head, or while their body arrived, by reason: key, requests, concurrency, balance, reads, key_bodies, all_bodies, large_bodies.",
      labels: ["reason"],
    }),
  );

  readonly refused_sign_ins = this.#show(
    new Counter({
      name: "camino_refused_sign_ins_total",
      help: "Sign-ins that were refused, wrong ones and those that had to wait, by way: password, passkey, link, oidc, admin_token, operations_token.",
      labels: ["way"],
    }),
  );

  readonly deliveries = this.#show(
    new Counter({
      name: "camino_deliveries_total",
      help: "Letters and alerts by kind and outcome: sent, refused (for good), given_up (after a day, or when the link is over), not_needed (nobody to send to).",
      labels: ["kind", "outcome"],
    }),
  );

  readonly hook_calls = this.#show(
    new Counter({
      name: "camino_hook_calls_total",
      help: "Calls of hooks by hook and result: allow, refuse, change (before), told, dropped (after), and of both failed and rests (not asked, as it has failed too often).",
      labels: ["hook", "result"],
    }),
  );

  readonly hook_time = this.#show(
    new Histogram({
      name: "camino_hook_seconds",
      help: "How long calls of hooks took, by hook.",
      label: "hook",
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30],
    }),
  );

  readonly telemetry_sent = this.#show(
    new Counter({
      name: "camino_telemetry_sent_total",
      help: "What OpenTelemetry's collector has taken, by signal: calls (traces), lines (logs), readings (metrics).",
      labels: ["signal"],
    }),
  );

  readonly telemetry_dropped = this.#show(
    new Counter({
      name: "camino_telemetry_dropped_total",
      help: "What OpenTelemetry's collector did not get, by signal and reason: full (more waited than is kept), failed (it did not take them).",
      labels: ["signal", "reason"],
    }),
  );

  /** The names of all metrics, in the order in which they are written. */
  get names(): string[] {
    return this.#metrics.map(({ name }) => name);
  }

  /** Adds a gauge, whose value is read when `/metrics` is requested. */
  gauge(name: string, help: string, read: () => number): void {
    this.#metrics.push({
      name,
      write: () => writeHead({ name, help }, "gauge") + writeSample(name, [], read()),
      read: () => ({ name, help, type: "gauge", points: [[{}, read()]] }),
    });
  }

  /** All metrics as the body of `/metrics`, in the content type EXPOSITION_TYPE. */
  write(): string {
    return this.#metrics.map((metric) => metric.write()).join("\n");
  }

  /** All metrics at this moment. */
  read(): readonly MetricReading[] {
    return this.#metrics.map((metric) => metric.read());
  }

  #show<Shown extends Metric>(metric: Shown): Shown {
    this.#metrics.push(metric);
    return metric;
  }
}

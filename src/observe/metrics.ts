import { Counter } from "./counter.ts";
import { type Metric, type MetricReading, writeHead, writeSample } from "./exposition.ts";
import { Histogram } from "./histogram.ts";

/**
 * The gateway's metrics, under their names in `/metrics`. Labels are bounded: endpoints, models of the catalogue,
 * vendors and statuses, never a text that a client chose.
 */
export class Metrics {
  readonly #metrics: Metric[] = [];

  readonly requests = this.#counter(
    "camino_requests_total",
    ["endpoint", "status"],
    "Finished API requests by endpoint and HTTP status.",
  );
  readonly request_duration = this.#histogram(
    "camino_request_duration_seconds",
    "From a request's arrival to the last byte of its answer.",
    { label: "endpoint", buckets: [0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900] },
  );
  readonly first_byte = this.#histogram(
    "camino_first_byte_seconds",
    "From a request's arrival to the first byte of its answer.",
    { label: "endpoint", buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120] },
  );
  readonly overhead = this.#histogram(
    "camino_overhead_seconds",
    "The gateway's own time in a call, by part: request (from its arrival to the first vendor's request, without the time that its body took to arrive and its hook to answer), answer (from the vendor's first byte of a stream, or its last of a whole answer, until it goes on to the client or to its settlement), settlement (until the charge is durable).",
    { label: "part", buckets: [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5] },
  );
  readonly attempts = this.#counter(
    "camino_upstream_attempts_total",
    ["vendor", "result"],
    "Calls to vendors by vendor and result (ok, or the error code that the attempt ended in).",
  );
  readonly tokens = this.#counter("camino_tokens_total", ["model", "class"], "Billed tokens by model and class.");
  readonly charged = this.#counter("camino_charged_micro_total", ["model"], "Charged money in micro units, by model.");
  readonly operator_loss = this.#counter(
    "camino_operator_loss_micro_total",
    ["model"],
    "Money in micro units that an answer cost beyond what could be charged, by model.",
  );
  readonly estimated = this.#counter(
    "camino_estimated_usage_total",
    ["vendor", "reason"],
    "Answers whose usage was estimated: the vendor sent none, or none that can be believed.",
  );
  readonly store_notices = this.#counter(
    "camino_store_notices_total",
    ["level"],
    "What the database said that a person must know, by level: each is a line of the log.",
  );
  readonly disbelieved = this.#counter(
    "camino_disbelieved_usage_total",
    ["vendor", "part"],
    "Answers of whose vendor's usage a part was not believed, by vendor and part: input, output, calls.",
  );
  readonly unpriced = this.#counter(
    "camino_unpriced_usage_total",
    ["model"],
    "Answers whose usage has counts that the model's price has no class for, by model. Their receipts name them.",
  );
  readonly late_settlements = this.#counter(
    "camino_late_settlements_total",
    ["end"],
    "Ends of requests (settled, voided) that came after a recovery had ended the hold; the difference was booked as a correction.",
  );
  readonly database_troubles = this.#counter(
    "camino_database_troubles_total",
    ["trouble"],
    "Works that failed because the database could not be used: unreachable, silent, busy, read_only, disk_full, other_database.",
  );
  readonly failovers = this.#counter(
    "camino_failover_requests_total",
    ["result"],
    "Requests whose acknowledged commits were missing after a failover: mended (committed again) or lost.",
  );
  readonly stored_responses = this.#counter(
    "camino_stored_responses_total",
    ["result"],
    "Responses that were to be kept for references, by what became of them: kept, unreadable, too_large, no_room, late.",
  );
  readonly cache_answers = this.#counter(
    "camino_cache_answers_total",
    ["result"],
    "Requests that asked for the cache of answers, by what they found: hit, miss, refresh, bypass.",
  );
  readonly cache_stores = this.#counter(
    "camino_cache_stores_total",
    ["result"],
    "Answers that were to be stored for the cache, by what became of them: kept, too_large, no_room, failed, unreadable.",
  );
  readonly cache_saved = this.#counter(
    "camino_cache_saved_micro_total",
    ["model"],
    "What answers from the cache would have cost beyond their own price, by model, in micro units of the currency.",
  );
  readonly contents = this.#counter(
    "camino_contents_total",
    ["result"],
    "Requests whose contents were to be kept, by what became of them: kept, no_room, failed.",
  );
  readonly refusals = this.#counter(
    "camino_refusals_total",
    ["reason"],
    "Requests that were refused by their head, or while their body arrived, by reason: key, requests, concurrency, balance, reads, key_bodies, all_bodies, large_bodies.",
  );
  readonly refused_sign_ins = this.#counter(
    "camino_refused_sign_ins_total",
    ["way"],
    "Sign-ins that were refused, wrong ones and those that had to wait, by way: password, passkey, link, oidc, admin_token, operations_token.",
  );
  readonly deliveries = this.#counter(
    "camino_deliveries_total",
    ["kind", "outcome"],
    "Letters, alerts and portions of usage events by kind and outcome: sent, refused (for good), given_up (after a day, or when the link is over), not_needed (nobody to send to).",
  );
  readonly hook_calls = this.#counter(
    "camino_hook_calls_total",
    ["hook", "result"],
    "Calls of hooks by hook and result: allow, refuse, change (before), told, dropped (after), and of both failed and rests (not asked, as it has failed too often).",
  );
  readonly hook_time = this.#histogram("camino_hook_seconds", "How long calls of hooks took, by hook.", {
    label: "hook",
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30],
  });
  readonly telemetry_sent = this.#counter(
    "camino_telemetry_sent_total",
    ["signal"],
    "What OpenTelemetry's collector has taken, by signal: calls (traces), lines (logs), readings (metrics).",
  );
  readonly telemetry_dropped = this.#counter(
    "camino_telemetry_dropped_total",
    ["signal", "reason"],
    "What OpenTelemetry's collector did not get, by signal and reason: full (more waited than is kept), failed (it did not take them).",
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

  read(): readonly MetricReading[] {
    return this.#metrics.map((metric) => metric.read());
  }

  #counter(name: string, labels: readonly [string] | readonly [string, string], help: string): Counter {
    return this.#show(new Counter({ name, help, labels }));
  }

  #histogram(
    name: string,
    help: string,
    by: { readonly label: string; readonly buckets: readonly number[] },
  ): Histogram {
    return this.#show(new Histogram({ name, help, ...by }));
  }

  #show<Shown extends Metric>(metric: Shown): Shown {
    this.#metrics.push(metric);
    return metric;
  }
}

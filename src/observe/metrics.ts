// Part by part: the package as a whole brings a cluster, a push gateway and an HTTP client along, which are 1.4 MB of heap.
import Gauge from "prom-client/lib/gauge.js";
import Registry from "prom-client/lib/registry.js";
import { TalliedCounter } from "./tallied-counter.ts";
import { TalliedHistogram } from "./tallied-histogram.ts";

/**
 * What the gateway measures, by the names that `/metrics` shows. Labels are bounded: endpoints, models of the catalogue,
 * vendors and statuses, never anything that a client can make up.
 */
export class Metrics {
  readonly registry = new Registry();

  readonly requests = new TalliedCounter(this.registry, {
    name: "camino_requests_total",
    help: "Finished API requests by endpoint and HTTP status.",
    labelNames: ["endpoint", "status"],
  });

  readonly request_duration = new TalliedHistogram(this.registry, {
    name: "camino_request_duration_seconds",
    help: "From a request's arrival to the last byte of its answer.",
    label: "endpoint",
    buckets: [0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900],
  });

  readonly first_byte = new TalliedHistogram(this.registry, {
    name: "camino_first_byte_seconds",
    help: "From a request's arrival to the first byte of its answer.",
    label: "endpoint",
    buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120],
  });

  readonly attempts = new TalliedCounter(this.registry, {
    name: "camino_upstream_attempts_total",
    help: "Calls to vendors by vendor and result (ok, or the error code that the attempt ended in).",
    labelNames: ["vendor", "result"],
  });

  readonly tokens = new TalliedCounter(this.registry, {
    name: "camino_tokens_total",
    help: "Billed tokens by model and class.",
    labelNames: ["model", "class"],
  });

  readonly charged = new TalliedCounter(this.registry, {
    name: "camino_charged_micro_total",
    help: "Charged money in micro units, by model.",
    labelNames: ["model"],
  });

  readonly operator_loss = new TalliedCounter(this.registry, {
    name: "camino_operator_loss_micro_total",
    help: "Money in micro units that an answer cost beyond what could be charged, by model.",
    labelNames: ["model"],
  });

  readonly estimated = new TalliedCounter(this.registry, {
    name: "camino_estimated_usage_total",
    help: "Answers whose usage was estimated: the vendor sent none, or none that can be believed.",
    labelNames: ["vendor", "reason"],
  });

  readonly unpriced = new TalliedCounter(this.registry, {
    name: "camino_unpriced_usage_total",
    help: "Answers whose usage has counts that the model's price has no class for, by model. Their receipts name them.",
    labelNames: ["model"],
  });

  /** Registers a gauge whose value is read when `/metrics` is. */
  gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers: [this.registry],
      collect() {
        this.set(read());
      },
    });
  }
}

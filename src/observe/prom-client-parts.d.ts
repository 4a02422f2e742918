/** The parts of prom-client that are imported one by one: see metrics.ts. */
declare module "prom-client/lib/counter.js" {
  import { Counter } from "prom-client";
  export = Counter;
}
declare module "prom-client/lib/gauge.js" {
  import { Gauge } from "prom-client";
  export = Gauge;
}
declare module "prom-client/lib/histogram.js" {
  import { Histogram } from "prom-client";
  export = Histogram;
}
declare module "prom-client/lib/registry.js" {
  import { Registry } from "prom-client";
  export = Registry;
}

import type { RouteName } from "../../routes.ts";
import type { AnswerContent, OperationRow, SampleSettings } from "./operation.ts";
import { serviceSnippets } from "./snippets.ts";

interface ServiceRow {
  readonly route: RouteName;
  readonly operation_id: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly content: AnswerContent;
}

const TEXT = { type: "string" };
const STATUS = { type: "object" };

const ROWS: readonly ServiceRow[] = [
  {
    route: "healthz",
    operation_id: "getHealth",
    path: "/healthz",
    summary: "Is the process up?",
    description: "Answers as long as the process does. Asks nothing and nobody.",
    content: { type: "application/json", schema: STATUS },
  },
  {
    route: "readyz",
    operation_id: "getReadiness",
    path: "/readyz",
    summary: "May traffic come?",
    description: "200 while the database answers and the process is not draining, else 503.",
    content: { type: "application/json", schema: STATUS },
  },
  {
    route: "metrics",
    operation_id: "getMetrics",
    path: "/metrics",
    summary: "Metrics",
    description: "Counters, gauges and histograms in Prometheus' text format.",
    content: { type: "text/plain", schema: TEXT },
  },
  {
    route: "openapi",
    operation_id: "getOpenApi",
    path: "/openapi.json",
    summary: "This document",
    description: "The public API in OpenAPI 3.1.",
    content: { type: "application/json", schema: STATUS },
  },
  {
    route: "docs",
    operation_id: "getReference",
    path: "/docs",
    summary: "This document, readable",
    description: "A page for people.",
    content: { type: "text/html", schema: TEXT },
  },
];

/** The operations for those who run the gateway. */
export function serviceOperations(settings: SampleSettings): OperationRow[] {
  return ROWS.map(({ route, operation_id, path, summary, description, content }) => ({
    route,
    operation_id,
    tag: "Service",
    summary,
    description,
    credential: "none",
    answer: { description: summary, contents: [content] },
    errors: [],
    samples: serviceSnippets(settings, path),
  }));
}

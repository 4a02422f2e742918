import type { HrTime } from "@opentelemetry/api";
import type { ProtobufTraceSerializer } from "@opentelemetry/otlp-transformer";

type Span = Parameters<typeof ProtobufTraceSerializer.serializeRequest>[0][number];

/** Who sends: the same objects with everything, by which the exporter sums up. */
export type Source = Pick<Span, "resource" | "instrumentationScope">;

interface SourceFacts {
  readonly service_name: string;
  readonly version: string;
  /** Of the process: a gateway of several has one for each. */
  readonly node_id: string;
}

export function sourceOf({ service_name, version, node_id }: SourceFacts): Source {
  const attributes = { "service.name": service_name, "service.version": version, "service.instance.id": node_id };
  const resource: Source["resource"] = {
    attributes,
    asyncAttributesPending: false,
    merge: (other) => other ?? resource,
    getRawAttributes: () => Object.entries(attributes),
  };
  return { resource, instrumentationScope: { name: "camino", version } };
}

const MS_PER_S = 1000;
const NS_PER_MS = 1_000_000;

/** Milliseconds as seconds and nanoseconds. */
export function hrTime(ms: number): HrTime {
  const seconds = Math.floor(ms / MS_PER_S);
  return [seconds, Math.round((ms - seconds * MS_PER_S) * NS_PER_MS)];
}

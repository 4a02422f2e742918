import { RandomIds } from "../observe/random-ids.ts";
import { encoded, OtlpBytes, prefixed } from "./otlp-bytes.ts";

/** Fields of OpenTelemetry's messages, as tags. They are the same in those of spans, metrics and lines. */
const RESOURCE = 0x0a;
const RESOURCE_ATTRIBUTE = 0x0a;
const SCOPE = 0x0a;
const SCOPE_NAME = 0x0a;
const SCOPE_VERSION = 0x12;

/** Who sends, as it stands in each export. */
export interface TelemetrySource {
  readonly resource: Buffer;
  readonly scope: Buffer;
}

interface SourceFacts {
  readonly service_name: string;
  readonly version: string;
  /** Of the process: a gateway of several has one for each. */
  readonly node_id: string;
}

export function sourceOf({ service_name, version, node_id }: SourceFacts): TelemetrySource {
  const bytes = new OtlpBytes(new RandomIds());
  bytes.attribute(RESOURCE_ATTRIBUTE, "service.name", service_name);
  bytes.attribute(RESOURCE_ATTRIBUTE, "service.version", version);
  bytes.attribute(RESOURCE_ATTRIBUTE, "service.instance.id", node_id);
  return {
    resource: prefixed(RESOURCE, bytes.take()),
    scope: prefixed(SCOPE, Buffer.concat([encoded(SCOPE_NAME, "camino"), encoded(SCOPE_VERSION, version)])),
  };
}

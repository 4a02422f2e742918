import { RandomIds } from "../observe/random-ids.ts";
import { encoded, OtlpBytes, prefixed } from "./otlp-bytes.ts";

/** Fields of OpenTelemetry's messages, as tags. They are the same in those of spans, metrics and lines. */
const RESOURCE = 0x0a;
const RESOURCE_ATTRIBUTE = 0x0a;
const SCOPE = 0x0a;
const SCOPE_NAME = 0x0a;
const SCOPE_VERSION = 0x12;
const DATA_OF_RESOURCE = 0x0a;
const DATA_OF_SCOPE = 0x12;

/** The sending process, as it stands in each export. */
export interface TelemetrySource {
  readonly resource: Buffer;
  readonly scope: Buffer;
}

interface SourceFacts {
  readonly service_name: string;
  readonly version: string;
  /** Each process of a gateway has its own. */
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

/** An export: what `write` writes, as the data of its source. */
export function writeExport(bytes: OtlpBytes, { resource, scope }: TelemetrySource, write: () => void): Uint8Array {
  const of_resource = bytes.begin(DATA_OF_RESOURCE);
  bytes.put(resource);
  const of_scope = bytes.begin(DATA_OF_SCOPE);
  bytes.put(scope);
  write();
  bytes.end(of_scope);
  bytes.end(of_resource);
  return bytes.take();
}

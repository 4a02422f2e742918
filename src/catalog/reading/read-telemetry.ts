import type { TelemetrySettings, TraceSampling } from "../../core/catalog/telemetry-settings.ts";
import { isSendable } from "./header-value.ts";
import { report, type YamlPlace } from "./place.ts";
import { isMapping, readFields } from "./read-fields.ts";
import { readHeaders } from "./read-headers.ts";
import { readBoolean, readOneOf, readText } from "./read-scalar.ts";

const ENDPOINT = "a collector's address such as http://127.0.0.1:4318, to which /v1/traces is added";
const SHARE = "a share from 0 to 1, such as 0.1";
const HEADERS = "headers as NAME=VALUE,NAME=VALUE, with what is special in a value written as %20";
const HIDDEN = "a value that is not shown";
/** How OpenTelemetry's environment names the samplers that there are here. */
const SAMPLERS = {
  always_on: { share: 1, follows_caller: false },
  always_off: { share: 0, follows_caller: false },
  traceidratio: { share: null, follows_caller: false },
  parentbased_always_on: { share: 1, follows_caller: true },
  parentbased_always_off: { share: 0, follows_caller: true },
  parentbased_traceidratio: { share: null, follows_caller: true },
} as const satisfies Record<string, { readonly share: number | null; readonly follows_caller: boolean }>;
const KEYS = [
  ...(["endpoint", "headers", "service_name", "traces", "metrics", "logs"] as const),
  ...(["forward_traceparent", "conventions"] as const),
];

/**
 * Reads where OpenTelemetry's data goes; null where nothing says so. OpenTelemetry's own variables come before the file, as `CAMINO_SMTP_URL`
 * does (docs/rulings.md 186).
 */
export function readTelemetry(root: YamlPlace, place: YamlPlace | null): TelemetrySettings | null {
  const { env } = root.source;
  const outer = readFields(place, ["otlp"]);
  const otlp = outer?.get("otlp") ?? null;
  const fields = readFields(otlp, KEYS);
  const from_env = env.OTEL_EXPORTER_OTLP_ENDPOINT || null;
  if (env.OTEL_SDK_DISABLED === "true" || (from_env === null && otlp === null)) return null;
  const own = fields?.get("endpoint") ?? null;
  const given = from_env ?? readText(own, ENDPOINT);
  if (given === null) return fields?.reportMissing("endpoint", ENDPOINT) ?? null;
  const endpoint = addressOf(given);
  if (endpoint === null) return report(from_env === null && own !== null ? own : variable(root, "ENDPOINT"), ENDPOINT);
  const headers = env.OTEL_EXPORTER_OTLP_HEADERS
    ? headersOf(variable(root, "HEADERS"), env.OTEL_EXPORTER_OTLP_HEADERS)
    : readHeaders(fields?.get("headers") ?? null);
  return {
    endpoint,
    headers,
    service_name: env.OTEL_SERVICE_NAME || readText(fields?.get("service_name") ?? null) || "camino",
    traces: samplingOf(root, fields?.get("traces") ?? null),
    metrics: readBoolean(fields?.get("metrics") ?? null) ?? true,
    logs: readBoolean(fields?.get("logs") ?? null) ?? false,
    forward_traceparent: readBoolean(fields?.get("forward_traceparent") ?? null) ?? false,
    conventions: readOneOf(fields?.get("conventions") ?? null, ["latest", "1.36"]) ?? "latest",
  };
}

/** A place by which problems name a variable of OpenTelemetry's. */
function variable(root: YamlPlace, name: string): YamlPlace {
  return { ...root, path: `OTEL_EXPORTER_OTLP_${name}`, node: null };
}

/** The address without a slash at its end; null where it is none. */
function addressOf(text: string): string | null {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.search !== "") return null;
  return url.href.replace(/\/+$/, "");
}

function headersOf(place: YamlPlace, text: string): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const pair of text.split(",").filter((part) => part.trim() !== "")) {
    const [, name = "", written = ""] = /^\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
    const value = decoded(written);
    if (name === "" || value === null || !isSendable(value)) report(place, HEADERS, HIDDEN);
    else headers[name.toLowerCase()] = value;
  }
  return headers;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

function samplingOf(root: YamlPlace, place: YamlPlace | null): TraceSampling | null {
  const { OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: argument } = root.source.env;
  if (name) {
    const at = { ...root, path: "OTEL_TRACES_SAMPLER" };
    if (!isSampler(name)) return report(at, Object.keys(SAMPLERS).join(", "), JSON.stringify(name));
    const { share, follows_caller } = SAMPLERS[name];
    return { share: share ?? shareOf({ ...root, path: "OTEL_TRACES_SAMPLER_ARG" }, argument || "1"), follows_caller };
  }
  if (place === null) return { share: 1, follows_caller: true };
  if (!isMapping(place)) return readBoolean(place) === true ? { share: 1, follows_caller: true } : null;
  const sample = readFields(place, ["sample"])?.get("sample") ?? null;
  const text = readText(sample, SHARE);
  return { share: sample === null || text === null ? 1 : shareOf(sample, text), follows_caller: true };
}

function isSampler(name: string): name is keyof typeof SAMPLERS {
  return Object.hasOwn(SAMPLERS, name);
}

function shareOf(place: YamlPlace, text: string): number {
  const share = /^\d(\.\d{1,9})?$/.test(text) ? Number(text) : -1;
  if (share >= 0 && share <= 1) return share;
  report(place, SHARE, JSON.stringify(text));
  return 0;
}

import type { TelemetrySettings } from "../core/catalog/telemetry-settings.ts";
import type { Fetch } from "./shared/deps.ts";
import { type Finding, failed, ok } from "./shared/finding.ts";
import { unreachableBecause } from "./shared/unreachable.ts";

const TIMEOUT_MS = 10_000;

/** Hands OpenTelemetry's collector an export with nothing in it, for each kind of data that it is to get: it has to take that, and keeps nothing. */
export function checkCollector(settings: TelemetrySettings | undefined, fetch: Fetch): Promise<Finding>[] {
  if (settings === undefined) return [];
  return signalsOf(settings).map((signal) => checkSignal(settings, signal, fetch));
}

/** The kinds of data that the collector is to get. */
export function signalsOf({ traces, metrics, logs }: TelemetrySettings): string[] {
  return [...(traces === null ? [] : ["traces"]), ...(metrics ? ["metrics"] : []), ...(logs ? ["logs"] : [])];
}

async function checkSignal({ endpoint, headers }: TelemetrySettings, signal: string, fetch: Fetch): Promise<Finding> {
  const subject = `telemetry ${signal}`;
  const url = `${endpoint}/v1/${signal}`;
  try {
    const { status, body } = await fetch(url, {
      method: "POST",
      // An empty message of protobuf is one without a resource.
      body: new Uint8Array(),
      headers: { ...headers, "content-type": "application/x-protobuf" },
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await body?.cancel();
    if (status >= 200 && status < 300) return ok(subject, `${url} takes what it is sent.`);
    if (status === 401 || status === 403)
      return failed(subject, `${url} refuses the credential (status ${status}). Check telemetry.otlp.headers.`);
    return failed(
      subject,
      `${url} answers with status ${status}. Check telemetry.otlp.endpoint, or leave ${signal} out.`,
    );
  } catch (thrown) {
    const why = unreachableBecause(thrown);
    return failed(subject, `${url} cannot be reached (${why}). Check telemetry.otlp.endpoint and the network.`);
  }
}

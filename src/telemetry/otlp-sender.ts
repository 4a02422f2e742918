import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { createOtlpHttpExportDelegate } from "@opentelemetry/otlp-exporter-base/node-http";
import type { IExporterMetricsHelper, ISerializer } from "@opentelemetry/otlp-transformer";
import type { TelemetrySettings } from "../core/catalog/telemetry-settings.ts";

/** How long one export may take with the exporter's own tries, each of which waits longer than the one before. */
export const EXPORT_TIMEOUT_MS = 10_000;
/** A collector that sends its answer bit by bit is given up a little later. */
const GIVEN_UP_MS = EXPORT_TIMEOUT_MS + 2_000;

export type Signal = "traces" | "metrics" | "logs";

interface SignalWriter<Item, Answer> {
  readonly serializer: ISerializer<Item, Answer>;
  readonly helper: IExporterMetricsHelper<Item>;
}

/**
 * Sends one kind of data to a collector, as protobuf over HTTP, with OpenTelemetry's own exporter. Rejects with what speaks against it once the
 * exporter has given up. Redirects are not followed.
 */
export function otlpSender<Item, Answer>(
  { endpoint, headers }: Pick<TelemetrySettings, "endpoint" | "headers">,
  signal: Signal,
  { serializer, helper }: SignalWriter<Item, Answer>,
): (item: Item) => Promise<void> {
  const agent = endpoint.startsWith("https:")
    ? new HttpsAgent({ keepAlive: true })
    : new HttpAgent({ keepAlive: true });
  const settings = {
    url: `${endpoint}/v1/${signal}`,
    // The exporter writes into what it is given.
    headers: async () => ({ ...headers, "content-type": "application/x-protobuf" }),
    agentFactory: () => agent,
    ...{ compression: "none" as const, timeoutMillis: EXPORT_TIMEOUT_MS, concurrencyLimit: 2 },
  };
  const delegate = createOtlpHttpExportDelegate(
    settings,
    serializer,
    `otlp_http_${signal}_exporter`,
    helper,
    undefined,
  );
  return async (item) => {
    let timer: Timer | undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        timer = setTimeout(() => reject(new Error("the collector did not end its answer")), GIVEN_UP_MS);
        delegate.export(item, ({ code, error }) =>
          code === 0 ? resolve() : reject(error ?? new Error("the collector did not take it")),
        );
      });
    } finally {
      clearTimeout(timer);
    }
  };
}

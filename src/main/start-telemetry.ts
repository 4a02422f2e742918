import type { Configuration } from "../core/catalog/catalog.ts";
import type { EdgeDeps } from "../http/context.ts";
import type { TelemetryParts } from "../telemetry/open-telemetry.ts";

/** Starts what sends to a collector of OpenTelemetry; nothing, and none of its code is loaded, where none is configured. */
export async function startTelemetry(
  parts: Omit<TelemetryParts, "settings">,
  { telemetry: settings }: Pick<Configuration, "telemetry">,
  opened: AsyncDisposableStack,
): Promise<Pick<EdgeDeps, "tracing">> {
  if (settings === undefined) return {};
  const { openTelemetry } = await import("../telemetry/open-telemetry.ts");
  const { tracing, close } = openTelemetry({ ...parts, settings });
  opened.defer(close);
  return tracing === undefined ? {} : { tracing };
}

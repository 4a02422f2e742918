import type { Configuration } from "../core/catalog/catalog.ts";
import type { Clock } from "../core/clock.ts";
import type { Log } from "../observe/log.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { PipelineDeps } from "../pipeline/call/deps.ts";
import { makeHooks } from "../pipeline/hooks/hooks.ts";
import type { Upstream } from "../upstream/send.ts";

/** How long the end of the gateway waits for answers that are on their way to a hook. */
const PATIENCE_MS = 5000;

interface HookParts {
  readonly upstream: Upstream;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly clock: Clock;
}

/** The operator's own servers that are asked about requests and told of answers; nothing where none is configured. */
export function openHooks(
  { upstream, log, metrics, clock }: HookParts,
  { hooks: settings, limits }: Pick<Configuration, "hooks" | "limits">,
  opened: AsyncDisposableStack,
): Pick<PipelineDeps, "hooks"> {
  if (settings === undefined) return {};
  const { body_bytes: most_bytes } = limits;
  const hooks = makeHooks(settings, { upstream, log, metrics, monotonic_ms: clock.monotonic_ms, most_bytes });
  opened.defer(() => hooks.after?.close(PATIENCE_MS));
  return { hooks };
}

import type { StoreEvent } from "../core/ports.ts";
import type { Log } from "../observe/log.ts";
import type { Metrics } from "../observe/metrics.ts";

/** Tells the operator what happens to the database. Troubles are only counted here: whoever asked logs them. */
export function noteStoreEvent({ metrics, log }: { metrics: Metrics; log: Log }, event: StoreEvent): void {
  switch (event.kind) {
    case "trouble":
      metrics.database_troubles.add(1, event.trouble);
      return;
    case "condition":
      log.warn({ condition: event.condition.code }, event.condition.text);
      return;
    case "failover": {
      const { mended, lost, may_be_more, problem } = event;
      metrics.failovers.add(mended.length, "mended");
      metrics.failovers.add(lost.length, "lost");
      if (mended.length + lost.length === 0) {
        log.warn("another server has become the primary; it has all that this node was acknowledged");
      } else {
        log.error({ mended, lost, may_be_more, problem }, "a failover lost acknowledged commits: run an audit");
      }
    }
  }
}

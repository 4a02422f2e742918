import type { StoreEvent } from "../core/store/store-events.ts";
import type { Log } from "../observe/log.ts";
import type { Metrics } from "../observe/metrics.ts";

/** Reports events of the database to the operator. Troubles are only counted here: the caller that met one logs it. */
export function noteStoreEvent({ metrics, log }: { metrics: Metrics; log: Log }, event: StoreEvent): void {
  switch (event.kind) {
    case "trouble":
      metrics.database_troubles.add(1, event.trouble);
      return;
    case "condition":
      log.warn({ condition: event.condition.code }, event.condition.text);
      return;
    case "migration": {
      const { from, to, waits } = event;
      if (waits) log.warn({ from, to }, "the migration waits for others who use the tables: it is tried again");
      else log.info({ from, to }, "the database's tables are brought up to date");
      return;
    }
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

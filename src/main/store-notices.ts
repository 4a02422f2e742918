import type { StoreNotice } from "../core/operations/incidents.ts";
import type { Logs } from "../observe/log.ts";
import type { Metrics } from "../observe/metrics.ts";

/**
 * Logs and counts the notices of a database. After a `fatal` notice nothing can be booked any more, so
 * the process ends; its supervisor starts it again, and the start recovers the open requests.
 */
export function storeNotices(
  { log, flush }: Logs,
  metrics: Pick<Metrics, "store_notices">,
  end: (status: number) => void,
): (notice: StoreNotice) => void {
  return ({ level, message }) => {
    metrics.store_notices.add(1, level);
    if (level !== "fatal") return log[level](message);
    log.fatal(`${message}: nothing can be booked any more, so the gateway ends`);
    flush();
    end(1);
  };
}

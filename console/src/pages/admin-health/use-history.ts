import { useEffect, useState } from "react";
import type { SystemHealth } from "../../../../contract/health.ts";

const KEPT = 60;

export interface Moment {
  readonly at_ms: number;
  readonly in_flight: number;
  readonly active_streams: number;
  readonly queue_depth: number;
  readonly holds: number | null;
  readonly ping_ms: number | null;
  readonly delay_ms: number | null;
  readonly rss_bytes: number;
}

/** The page's measurements of the last two minutes. The gateway itself keeps no history. */
export function useHistory(health: SystemHealth | undefined, at_ms: number): readonly Moment[] {
  const [moments, setMoments] = useState<readonly Moment[]>([]);
  useEffect(() => {
    if (health !== undefined) setMoments((before) => [...before, momentOf(health, at_ms)].slice(-KEPT));
  }, [health, at_ms]);
  return moments;
}

function momentOf({ in_flight, active_streams, ledger, database, process }: SystemHealth, at_ms: number): Moment {
  return {
    at_ms,
    in_flight,
    active_streams,
    queue_depth: ledger.queue_depth,
    holds: ledger.open_holds?.count ?? null,
    ping_ms: database.ping_ms,
    delay_ms: process.event_loop_delay_ms.p99,
    rss_bytes: process.rss_bytes,
  };
}

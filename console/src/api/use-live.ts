import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import type { ReadName } from "./endpoints.ts";
import { LIVE_MS, useApi } from "./use-api.ts";

/**
 * Balance, held amount and running requests of an account, asked for every two seconds while the page is visible. When money
 * or requests have moved, the `stale` reads are loaded again: `useLive(account, ["GET /requests"])`.
 */
export function useLive(account: string, stale: readonly ReadName[]) {
  const queries = useQueryClient();
  const live = useApi("GET /overview/live", { query: { account } }, { refresh_ms: LIVE_MS });
  const moved = live.data && `${live.data.account} ${live.data.version}`;
  const known = useRef(moved);
  const reads = stale.join();
  useEffect(() => {
    const before = known.current;
    known.current = moved;
    // The first answer of an account has no earlier answer to differ from.
    if (before === undefined || moved === undefined || before === moved) return;
    for (const read of reads.split(",")) void queries.invalidateQueries({ queryKey: [read] });
  }, [moved, reads, queries]);
  return live;
}

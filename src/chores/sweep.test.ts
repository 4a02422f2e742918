import { expect, test } from "bun:test";
import type { LedgerStore } from "../core/store/ports.ts";
import { createLogs } from "../observe/log.ts";
import { localStatesOf, startSweeping } from "./sweep.ts";

test("a request runs while it is open or its end waits to be booked, is refused where its commit's fate is open, else unknown", () => {
  const ledger = {
    unbookedRequests: () => new Set(["waits", "undone"]),
    wasRefused: (id: string) => /refused|undone/.test(id),
  };
  const localStateOf = localStatesOf({ ledger, open_requests: { ids: () => ["open"].values() } });
  const ids = ["open", "waits", "undone", "refused", "other"];
  expect(ids.map(localStateOf)).toEqual(["running", "running", "running", "refused", "unknown"]);
});

// Without the second attempt the next sweep comes after five seconds, which is longer than this test may take.
test.each([
  ["that failed is tried again at once, because the others may be about to take this node for dead", null],
  ["is followed by the next when another node counts as dead", 20],
])(
  "a sweep %s",
  async (_, next_ms) => {
    const again = Promise.withResolvers<void>();
    let sweeps = 0;
    const store: Pick<LedgerStore, "sweep"> = {
      async sweep() {
        sweeps += 1;
        if (sweeps === 1 && next_ms === null) throw new Error("paused in the middle of it");
        if (sweeps === 1 && next_ms !== null) return { settled: 0, voided: 0, next_ms };
        again.resolve();
        return { settled: 0, voided: 0 };
      },
    };
    const ledger = { unbookedRequests: () => new Set<string>(), wasRefused: () => false };
    const known = { ledger, open_requests: { ids: () => [] } };
    const { log } = createLogs("silent", "stderr");
    const sweeping = startSweeping({ store, node_id: "node_1", log, known });
    await again.promise;
    await sweeping.stop();
    expect(sweeps).toBe(2);
  },
  4000,
);

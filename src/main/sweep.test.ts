import { expect, test } from "bun:test";
import { fatesOf } from "./sweep.ts";

test("a request runs while it is open or its end waits to be booked, is refused where its commit's fate is open, else unknown", () => {
  const ledger = {
    unbookedRequests: () => new Set(["waits", "undone"]),
    wasRefused: (id: string) => /refused|undone/.test(id),
  };
  const fateOf = fatesOf({ ledger, open_requests: { ids: () => ["open"].values() } });
  const ids = ["open", "waits", "undone", "refused", "other"];
  expect(ids.map(fateOf)).toEqual(["running", "running", "running", "refused", "unknown"]);
});

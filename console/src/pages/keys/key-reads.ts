import type { ReadName } from "../../api/endpoints.ts";

/** The reads that show a key's state, and are stale when the key changes. */
export const KEY_READS: readonly ReadName[] = [
  "GET /keys",
  "GET /keys/{key}",
  "GET /keys/{key}/model-limits",
  "GET /budgets",
  "GET /resolve",
];

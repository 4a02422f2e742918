import type { ReadName } from "../../api/endpoints.ts";

/** What shows a key's state, and is stale when it changes. */
export const KEY_READS: readonly ReadName[] = ["GET /keys", "GET /keys/{key}", "GET /budgets", "GET /resolve"];

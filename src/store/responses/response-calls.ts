import type { ResponseStore } from "../../core/answer/stored-responses.ts";
import { type BesideKind, type Synced, whenSynced } from "../sql/beside.ts";
import { portOf, type RunMethod } from "../sql/port.ts";

export type ResponseMethod = keyof ResponseStore;

/**
 * No method touches the ledger's rows. What is written `beside` the books reaches the disk with the books' next commit, as nobody waits for it and a power
 * cut may take it; a stored response, whose client waits, reaches it at once.
 */
export const RESPONSE_KINDS: Readonly<Record<ResponseMethod, "read" | "write" | BesideKind>> = {
  ...{
    put: "write beside at once",
    find: "read",
    chain: "read",
    findItems: "read",
    remove: "write",
    removeExpired: "write beside",
  },
  ...{ findCached: "read", putCached: "write beside", trimCached: "write beside" },
  ...{ countCached: "write", cacheSums: "read", cachedBytes: "read", emptyCached: "write" },
  ...{ putContents: "write beside", listContents: "read", findContents: "read" },
  ...{ readSegments: "read", cutSegment: "write", trimContents: "write beside" },
};

export function isResponseWrite(method: ResponseMethod): boolean {
  return RESPONSE_KINDS[method] !== "read";
}

/** When what a method writes beside the books is on the disk; null where what waits of the books is written first. */
export function responseBeside(method: ResponseMethod): Synced | null {
  return whenSynced(RESPONSE_KINDS[method]);
}

export function responseStore(run: RunMethod<ResponseMethod>): ResponseStore {
  return portOf(RESPONSE_KINDS, run);
}

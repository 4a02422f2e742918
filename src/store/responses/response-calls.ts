import type { ResponseStore } from "../../core/answer/stored-responses.ts";
import { portOf, type RunMethod } from "../sql/port.ts";

export type ResponseMethod = keyof ResponseStore;

/** None of them touches the ledger's rows. What is written `beside` the books is behind an answer: nobody waits for it, and a power cut may take it. */
const KINDS: Readonly<Record<ResponseMethod, "read" | "write" | "write beside">> = {
  ...{ put: "write", find: "read", chain: "read", findItems: "read", remove: "write", removeExpired: "write beside" },
  ...{ findCached: "read", putCached: "write beside", trimCached: "write beside" },
  ...{ countCached: "write", cacheSums: "read", cachedBytes: "read", emptyCached: "write" },
  ...{ putContents: "write beside", listContents: "read", findContents: "read" },
  ...{ readSegments: "read", cutSegment: "write", trimContents: "write beside" },
};

export function isResponseWrite(method: ResponseMethod): boolean {
  return KINDS[method] !== "read";
}

/** Whether a method is written with the books' next commit, without what waits of the books being written first. */
export function isResponseBeside(method: ResponseMethod): boolean {
  return KINDS[method] === "write beside";
}

export function responseStore(run: RunMethod<ResponseMethod>): ResponseStore {
  return portOf(KINDS, run);
}

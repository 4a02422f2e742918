import type { ResponseStore } from "../../core/answer/stored-responses.ts";
import { portOf, type RunMethod } from "../sql/port.ts";

export type ResponseMethod = keyof ResponseStore;

const KINDS: Readonly<Record<ResponseMethod, "read" | "write">> = {
  ...{ put: "write", find: "read", chain: "read", findItems: "read", remove: "write", removeExpired: "write" },
  ...{ findCached: "read", putCached: "write", trimCached: "write", countCached: "write", cacheSums: "read" },
  ...{ putContents: "write", listContents: "read", readContents: "read" },
  ...{ deleteContents: "write", trimContents: "write" },
};

export function isResponseWrite(method: ResponseMethod): boolean {
  return KINDS[method] === "write";
}

export function responseStore(run: RunMethod<ResponseMethod>): ResponseStore {
  return portOf(KINDS, run);
}

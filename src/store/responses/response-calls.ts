import type { ResponseStore } from "../../core/answer/stored-responses.ts";
import { portOf, type RunMethod, type WorksOf } from "../sql/port.ts";
import { cacheSums, countCached, findCached, putCached, trimCached } from "./cached-answers.ts";
import { deleteContents, listContents, putContents, readContents, trimContents } from "./contents.ts";
import { chain, find, findItems } from "./find-responses.ts";
import { put, remove, removeExpired } from "./keep-responses.ts";

export type ResponseMethod = keyof ResponseStore;

export const RESPONSE_WORKS: WorksOf<ResponseStore> = {
  ...{ put, find, chain, findItems, remove, removeExpired },
  ...{ findCached, putCached, trimCached, countCached, cacheSums },
  ...{ putContents, listContents, readContents, deleteContents, trimContents },
};

const WRITES: ReadonlySet<ResponseMethod> = new Set([
  ...(["put", "remove", "removeExpired"] as const),
  ...(["putCached", "trimCached", "countCached"] as const),
  ...(["putContents", "deleteContents", "trimContents"] as const),
]);

export function isResponseWrite(method: ResponseMethod): boolean {
  return WRITES.has(method);
}

export function responseStore(run: RunMethod<ResponseMethod>): ResponseStore {
  return portOf(RESPONSE_WORKS, run);
}

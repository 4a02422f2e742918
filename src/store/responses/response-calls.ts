import type { ResponseStore } from "../../core/answer/stored-responses.ts";
import { portOf, type RunMethod, type WorksOf } from "../sql/port.ts";
import { chain, find, findItems } from "./find-responses.ts";
import { put, remove, removeExpired } from "./keep-responses.ts";

export type ResponseMethod = keyof ResponseStore;

export const RESPONSE_WORKS: WorksOf<ResponseStore> = { put, find, chain, findItems, remove, removeExpired };

export function isResponseWrite(method: ResponseMethod): boolean {
  return method === "put" || method === "remove" || method === "removeExpired";
}

export function responseStore(run: RunMethod<ResponseMethod>): ResponseStore {
  return portOf(RESPONSE_WORKS, run);
}

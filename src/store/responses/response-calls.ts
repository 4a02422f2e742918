import type { ResponseStore } from "../../core/stored-responses.ts";
import type { Work } from "../sql/work.ts";
import { chain, find, findItems } from "./find-responses.ts";
import { put, remove, removeExpired } from "./keep-responses.ts";

export type ResponseMethod = keyof ResponseStore;
export type ResponseArgs<M extends ResponseMethod> = Parameters<ResponseStore[M]>;
type ResponseWorks = {
  readonly [M in ResponseMethod]: (...args: ResponseArgs<M>) => Work<Awaited<ReturnType<ResponseStore[M]>>>;
};

/** Every method as a work, once for both drivers. */
const RESPONSE_WORKS: ResponseWorks = { put, find, chain, findItems, remove, removeExpired };

export function isResponseWrite(method: ResponseMethod): boolean {
  return method === "put" || method === "remove" || method === "removeExpired";
}

/** A method's work, from arguments that have travelled: their types are the method's, which the store saw to. */
export function responseWork(method: ResponseMethod, args: readonly unknown[]): Work<unknown> {
  return (RESPONSE_WORKS[method] as (...args: readonly unknown[]) => Work<unknown>)(...args);
}

/** How a driver runs a method, wherever that is. */
export type RunResponseMethod = (method: ResponseMethod, args: ResponseArgs<ResponseMethod>) => Promise<unknown>;

export function responseStore(run: RunResponseMethod): ResponseStore {
  const methods = Object.keys(RESPONSE_WORKS) as ResponseMethod[];
  const calls = methods.map((method) => [method, (...args: ResponseArgs<ResponseMethod>) => run(method, args)]);
  return Object.fromEntries(calls) as ResponseStore;
}

import { COST_MARK } from "../../core/answer/shown-cost.ts";
import type { Micro } from "../../core/money/money.ts";
import { withoutServed } from "../../core/money/usage.ts";
import { quietly } from "../../observe/quietly.ts";
import type { FinalUsage } from "../answer/final-usage.ts";
import type { OwnedRequest } from "../answer/running-request.ts";
import { formOf } from "../cache/asked-same.ts";

/** Whether the answer of a request is stored to be given again: not where it was cut short for the wallet's sake. */
export function isCached({ deps, call, request }: OwnedRequest): boolean {
  return deps.cache !== null && (call.cache?.place ?? null) !== null && request.granted_cap === undefined;
}

/** Stores a settled answer, which has the mark in place of its cost. Never throws; the caller does not wait (docs/rulings.md 183). */
export function keepCached(
  run: OwnedRequest,
  {
    candidate,
    usage,
    estimated,
  }: Pick<FinalUsage, "estimated" | "usage"> & {
    readonly candidate: Pick<FinalUsage["candidate"], "model" | "price">;
  },
  charge_micro: Micro,
  body: Uint8Array,
): void {
  const { deps, call, request } = run;
  const asked = call.cache;
  if (deps.cache === null || asked === null || asked.place === null || asked.head === null) return;
  const { cache } = deps;
  const { place, head } = asked;
  const { variants: _, ...price } = candidate.price;
  const facts = { model: candidate.model.id, price, usage: withoutServed(usage), estimated, charge_micro };
  const answer = { ...facts, form: formOf(request), ...head, body, mark: COST_MARK };
  quietly(deps.log, () => cache.keep(place, answer, place.keep_ms));
}

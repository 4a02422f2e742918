import { ignoredValue } from "./ignored-value.ts";
import type { OwnedRequest } from "./running-request.ts";

const NONE: Readonly<Record<string, string>> = {};

/** The headers that say how an answer was made, which a replayed answer needs as well. None for most. */
export function factHeaders({ receipt, request }: OwnedRequest): Readonly<Record<string, string>> {
  const { ignored } = receipt;
  const { granted_cap: capped } = request;
  if (ignored.length === 0 && capped === undefined) return NONE;
  return {
    ...(ignored.length > 0 && { "x-camino-ignored": ignoredValue(ignored) }),
    ...(capped !== undefined && { "x-camino-capped": String(capped) }),
  };
}

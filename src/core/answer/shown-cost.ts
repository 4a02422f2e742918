import { randomBase62 } from "../ids.ts";
import { type Micro, unitsText } from "../money/money.ts";
import type { SentBody } from "./exchange.ts";

/**
 * The cost that an answer shows (docs/rulings.md 169). An answer is written before its charge is decided, since what can fail comes
 * before the charge (159). So the protocols write a mark in the cost's place, and whoever knows the charge puts the number there:
 * the pipeline into what it sends, the books into what they keep for a replay.
 */

/** The value of `cost` until the charge is decided. It is drawn for each process, so no client, vendor or model can write it. */
export const COST_MARK = `cost-${randomBase62(22)}`;
const MARK_TEXT = JSON.stringify(COST_MARK);
const MARK_BYTES = Buffer.from(MARK_TEXT);

/** Where the bytes of an answer show its cost. */
export interface CostPlace {
  readonly start: number;
  readonly end: number;
}

/** The place of the mark in the bytes of an answer; null in an answer that shows no cost. */
export function costPlaceOf(bytes: Uint8Array): CostPlace | null {
  const start = bufferOf(bytes).indexOf(MARK_BYTES);
  return start === -1 ? null : { start, end: start + MARK_BYTES.length };
}

/** An answer's body with the charge in place of the mark, which no bytes among its parts have; `null` stands there where the charge is not known. */
export function withCost(body: SentBody, charge_micro: Micro | null): SentBody {
  if (body instanceof Uint8Array) return bytesWithCost(body, charge_micro);
  const cost = costText(charge_micro);
  if (typeof body === "string") return body.replace(MARK_TEXT, cost);
  // From the end: the usage mostly stands behind what was generated, which then is not searched.
  for (let at = body.length - 1; at >= 0; at--) {
    const part = body[at] ?? "";
    if (typeof part !== "string") continue;
    const start = part.indexOf(MARK_TEXT);
    if (start === -1) continue;
    const parts = body.slice();
    parts[at] = part.slice(0, start) + cost + part.slice(start + MARK_TEXT.length);
    return parts;
  }
  return body;
}

/**
 * Does the same over bytes, in place: a large answer is not copied, only the shorter side of it is moved. The given bytes are of no
 * use afterwards.
 */
export function bytesWithCost(bytes: Uint8Array, charge_micro: Micro | null): Uint8Array {
  const place = costPlaceOf(bytes);
  if (place === null) return bytes;
  const { start, end } = place;
  const cost = costText(charge_micro);
  const gap = end - start - cost.length;
  const buffer = bufferOf(bytes);
  if (bytes.length - end <= start) {
    buffer.write(cost, start, "latin1");
    bytes.copyWithin(start + cost.length, end);
    return bytes.subarray(0, bytes.length - gap);
  }
  bytes.copyWithin(gap, 0, start);
  buffer.write(cost, end - cost.length, "latin1");
  return bytes.subarray(gap);
}

/** A copy of an answer's bytes with the charge at a place that was found before. */
export function copyWithCost(bytes: Uint8Array, { start, end }: CostPlace, charge_micro: Micro): Uint8Array {
  return Buffer.concat([bytes.subarray(0, start), Buffer.from(unitsText(charge_micro)), bytes.subarray(end)]);
}

function bufferOf(bytes: Uint8Array): Buffer {
  return bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function costText(charge_micro: Micro | null): string {
  return charge_micro === null ? "null" : unitsText(charge_micro);
}

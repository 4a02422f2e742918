import { REQUEST_BOUNDS } from "../../core/answer/request-bounds.ts";
import { type ErrorCode, GatewayError } from "../../core/errors.ts";
import type { JsonRecord } from "../../core/json.ts";

/** A list of a request that is bounded (docs/rulings.md 140). */
export interface BoundedList {
  readonly bound: keyof typeof REQUEST_BOUNDS;
  /** Its path in the body. */
  readonly place: string;
  /** Its entries in words: `messages`. */
  readonly of: string;
  readonly code: ErrorCode;
}

/** Throws the list's error where a value is an array with more entries than a request may have. */
export function refuseMore(value: unknown, list: BoundedList): void {
  if (Array.isArray(value)) refuseCount(value.length, list);
}

/** Throws the list's error where there are more entries than a request may have. */
export function refuseCount(found: number, { bound, place, of, code }: BoundedList): void {
  const most = REQUEST_BOUNDS[bound];
  if (found <= most) return;
  throw new GatewayError(code, `'${place}' has ${found} ${of}; allowed: at most ${most}.`, { param: place });
}

/** Texts shorter than this have too few blocks to count: each takes two characters with its comma. */
const SHORTEST_WITH_MANY = 2 * REQUEST_BOUNDS.blocks;

/**
 * Throws the list's error where the messages of a conversation have more content blocks and calls together than a
 * request may have. `members` are the members of a message, and of a block in it, whose arrays count.
 */
export function refuseMoreBlocks(
  text: string,
  messages: unknown,
  members: readonly string[],
  list: Omit<BoundedList, "bound" | "of">,
): void {
  if (text.length < SHORTEST_WITH_MANY || !Array.isArray(messages)) return;
  const counted = { ...list, bound: "blocks", of: "content blocks and tool calls in all" } as const;
  let found = 0;
  const countIn = (holder: unknown, counts: (block: unknown) => void): void => {
    if (typeof holder !== "object" || holder === null) return;
    for (const name of members) {
      const blocks = (holder as JsonRecord)[name];
      if (!Array.isArray(blocks)) continue;
      found += blocks.length;
      if (found > REQUEST_BOUNDS.blocks) continue;
      for (const block of blocks) counts(block);
    }
  };
  for (const message of messages) countIn(message, (block) => countIn(block, () => {}));
  refuseCount(found, counted);
}

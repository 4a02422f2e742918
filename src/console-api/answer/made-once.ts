import { drawFrom } from "../../access/console/drawn-texts.ts";
import { GatewayError } from "../../core/errors.ts";
import { type DrawText, randomBase62 } from "../../core/ids.ts";
import { StoreConflict } from "../../core/store/ports.ts";
import { nameOf } from "./actor.ts";
import { ConsoleError } from "./console-error.ts";
import type { ConsoleCall } from "./route.ts";

/**
 * Creates a record once (docs/rulings.md 65): with an `Idempotency-Key`, the id of the created record follows from the caller and the key,
 * and its secret from the whole call. So the database refuses a second one, and a repeat of the call computes the first one's secret, which
 * is stored nowhere.
 */

const LONGEST_KEY = 255;
const DAY_MS = 24 * 60 * 60_000;

/** The call's `Idempotency-Key`; null where none was sent. Throws a 400 where it is none. */
export function idempotencyKey({ visit: { idempotency_key: key } }: Pick<ConsoleCall, "visit">) {
  if (key === null || /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  const message = `The Idempotency-Key header has ${key.length} characters; allowed are 1 to ${LONGEST_KEY} printable ASCII characters without spaces.`;
  throw new GatewayError("invalid_request", message);
}

/** The source of the ids and secrets that a call makes. */
interface Draws {
  /** Whether a repeat of the call gets the same texts. */
  readonly once: boolean;
  readonly id: DrawText;
  readonly secret: DrawText;
}

export function drawsOf(call: ConsoleCall): Draws {
  const key = idempotencyKey(call);
  if (key === null) return { once: false, id: randomBase62, secret: randomBase62 };
  const { deps, actor, note, params, body } = call;
  const name = [note.action, nameOf(actor), key];
  return {
    once: true,
    id: drawFrom(deps.keys, JSON.stringify(["id", ...name])),
    secret: drawFrom(deps.keys, JSON.stringify(["secret", ...name, params, body])),
  };
}

/**
 * Makes a record, or finds the one that an earlier call with the same `Idempotency-Key` made. Throws the database's refusal where the
 * conflicting record is not of this very call.
 */
export async function madeOnce<Made>(
  { once }: Draws,
  steps: { readonly make: () => Promise<Made>; readonly findEarlier: () => Promise<Made | null> },
): Promise<Made> {
  try {
    return await steps.make();
  } catch (thrown) {
    const earlier = once && thrown instanceof StoreConflict ? await steps.findEarlier() : null;
    if (earlier === null) throw thrown;
    return earlier;
  }
}

/** Throws a 409 where a secret was made too long ago to be shown to a repeat of the call. */
export function requireRecent({ id, created_ms }: { id: string; created_ms: number }, now_ms: number): void {
  if (created_ms > now_ms - DAY_MS) return;
  const message = `The Idempotency-Key made ${id} more than a day ago, and its secret is not shown again.`;
  throw new ConsoleError("conflict", message);
}

import { GatewayError } from "../core/errors.ts";
import { Deadlines, type Watched } from "../upstream/deadlines.ts";

/** How slowly a body may come (docs/rulings.md 50). */
export interface BodyTimeouts {
  /** How long it may stand still. */
  readonly stall_ms: number;
  readonly total_ms: number;
}

/**
 * Bodies up to this size are read in one go, which no pause in between can be seen of: all of it has to be there within the
 * time that a larger one may stand still. Nearly every conversation is among them, and to read one in pieces costs ten times its
 * size, since the runtime makes room for 256 KiB at each piece.
 */
const IN_ONE_GO_BYTES = 128 * 1024;

/**
 * A request's body as text. Throws `request_too_large` as soon as the size is known to be above the limit, and
 * `request_timeout` when the body stands still or takes too long.
 */
export function readBody(request: Request, limit_bytes: number, timeouts: BodyTimeouts): Promise<string> {
  const announced = Number(request.headers.get("content-length") ?? Number.NaN);
  if (announced > limit_bytes) throw tooLarge(limit_bytes, announced);
  if (announced <= IN_ONE_GO_BYTES) return within(request.text(), timeouts.stall_ms);
  return readSlowly(request, limit_bytes, timeouts);
}

async function readSlowly(request: Request, limit_bytes: number, timeouts: BodyTimeouts): Promise<string> {
  const reader = request.body?.getReader();
  if (reader === undefined) return "";
  const chunks: Uint8Array[] = [];
  const end_ms = performance.now() + timeouts.total_ms;
  let size = 0;
  for (;;) {
    const left_ms = end_ms - performance.now();
    const { done, value } = await within(reader.read(), Math.max(0, Math.min(timeouts.stall_ms, left_ms)));
    if (done) return new TextDecoder().decode(Buffer.concat(chunks, size));
    size += value.byteLength;
    if (size > limit_bytes) {
      void reader.cancel();
      throw tooLarge(limit_bytes, null);
    }
    chunks.push(value);
  }
}

/** Bodies that are being read, all watched by one timer: nearly every one is there at once. */
const deadlines = new Deadlines();

/** What the work resolves with, or `request_timeout` after that time, to within a tick of the timer. */
function within<T>(work: Promise<T>, timeout_ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const wait = new Wait(deadlines.now_ms + timeout_ms, reject);
    deadlines.add(wait);
    work.then(
      (value) => {
        deadlines.remove(wait);
        resolve(value);
      },
      (error: unknown) => {
        deadlines.remove(wait);
        reject(error);
      },
    );
  });
}

class Wait implements Watched {
  readonly #until_ms: number;
  readonly #reject: (error: GatewayError) => void;

  constructor(until_ms: number, reject: (error: GatewayError) => void) {
    this.#until_ms = until_ms;
    this.#reject = reject;
  }

  check(now_ms: number): boolean {
    if (now_ms < this.#until_ms) return false;
    this.#reject(tooSlow());
    return true;
  }
}

function tooLarge(limit_bytes: number, found_bytes: number | null): GatewayError {
  const found = found_bytes === null ? "more" : `${found_bytes} bytes`;
  return new GatewayError("request_too_large", `The body has ${found}; at most ${limit_bytes} bytes are allowed.`, {
    headers: { connection: "close" },
  });
}

function tooSlow(): GatewayError {
  return new GatewayError("request_timeout", "The request's body came too slowly.", {
    headers: { connection: "close" },
    retry_after_ms: 1000,
  });
}

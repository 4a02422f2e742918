import { GatewayError } from "../../core/errors.ts";

/** The bound that a body did not fit into: its key's, or that of all clients together. */
export type BodyBound = "key" | "all";

const RETRY_MS = 1000;

/** The 503 for a body for which there is no room at the moment (docs/rulings.md 152). */
export class NoBodyRoom extends GatewayError {
  readonly bound: BodyBound;

  constructor(bound: BodyBound, most_bytes: number) {
    const whose = bound === "key" ? "The unfinished bodies of this API key" : "All unfinished bodies here";
    const message = `${whose} may have ${most_bytes} bytes together, which leaves too little for this one. Try again in a moment, with fewer large requests at once.`;
    super("model_unavailable", message, { retry_after_ms: RETRY_MS });
    this.bound = bound;
  }
}

/** Room for the bytes of unfinished bodies: those that arrive or are being unpacked, and are not handed over yet. */
export class BodyRoom {
  readonly bound: BodyBound;
  readonly most_bytes: number;
  #used_bytes = 0;

  constructor(bound: BodyBound, most_bytes: number) {
    this.bound = bound;
    this.most_bytes = most_bytes;
  }

  get used_bytes(): number {
    return this.#used_bytes;
  }

  hasRoom(bytes: number): boolean {
    return this.#used_bytes + bytes <= this.most_bytes;
  }

  /** Takes all of it, or nothing and returns false. */
  take(bytes: number): boolean {
    if (!this.hasRoom(bytes)) return false;
    this.#used_bytes += bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.#used_bytes -= bytes;
  }

  refusal(): NoBodyRoom {
    return new NoBodyRoom(this.bound, this.most_bytes);
  }
}

/**
 * The share of one unfinished body in the room of all bodies and in its key's room. The key is known only when a route asks for
 * the body, after a part of it may have arrived.
 */
export class BodyShare {
  readonly #all: BodyRoom;
  #own: BodyRoom | null = null;
  #bytes = 0;

  constructor(all: BodyRoom) {
    this.#all = all;
  }

  /** Also counts the body against this room. Throws NoBodyRoom where what has arrived does not fit into it. */
  joins(own: BodyRoom): void {
    if (!own.take(this.#bytes)) throw own.refusal();
    this.#own = own;
  }

  /** Throws NoBodyRoom where there is no room now for so many bytes beyond those that are taken. */
  requireRoom(bytes: number): void {
    for (const room of [this.#own, this.#all]) if (room !== null && !room.hasRoom(bytes)) throw room.refusal();
  }

  /** Takes room for bytes that have come. Returns the refusal where there is none; nothing is taken then. */
  take(bytes: number): NoBodyRoom | null {
    if (!this.#all.take(bytes)) return this.#all.refusal();
    if (this.#own !== null && !this.#own.take(bytes)) {
      this.#all.giveBack(bytes);
      return this.#own.refusal();
    }
    this.#bytes += bytes;
    return null;
  }

  /** Gives all of it back: the body is handed over, or given up. Once is enough, and more does no harm. */
  giveBack(): void {
    this.#all.giveBack(this.#bytes);
    this.#own?.giveBack(this.#bytes);
    this.#bytes = 0;
  }
}

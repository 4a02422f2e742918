import { GatewayError } from "../../core/errors.ts";

const RETRY_MS = 1000;

/** The 503 for a large body that the memory has no room for while others are kept (docs/rulings.md 152). */
export class NoKeptRoom extends GatewayError {
  constructor() {
    super(
      "model_unavailable",
      "The large requests that are being answered leave no memory for this one. Try again in a moment, with fewer of them at once.",
      { retry_after_ms: RETRY_MS },
    );
  }
}

/**
 * Room for the memory of large bodies, from their arrival at the threads until their requests have ended (docs/security/large-bodies.md). One account
 * has at most half of it.
 */
export class KeptRoom {
  readonly #most_bytes: number;
  readonly #most_of_account_bytes: number;
  readonly #by_account = new Map<string, number>();
  #used_bytes = 0;

  /** `body_bytes`: the largest body that is allowed; an account has room for one, whatever the memory. */
  constructor(memory_bytes: number, body_bytes: number) {
    this.#most_of_account_bytes = Math.max(Math.floor(memory_bytes / 2), 4 * body_bytes);
    this.#most_bytes = Math.max(memory_bytes, this.#most_of_account_bytes);
  }

  get used_bytes(): number {
    return this.#used_bytes;
  }

  /** Takes room for a body before it is read. Throws what the client gets where there is none. */
  claim(account_id: string, bytes: number): KeptClaim {
    if (bytes > this.leftFor(account_id)) throw this.refusal(bytes);
    return new KeptClaim(this, account_id, bytes);
  }

  leftFor(account_id: string): number {
    const own_left = this.#most_of_account_bytes - (this.#by_account.get(account_id) ?? 0);
    return Math.min(own_left, this.#most_bytes - this.#used_bytes);
  }

  /** The refusal of a body of this weight: 503 where it fits once others have ended, 413 where it never does. */
  refusal(bytes: number): GatewayError {
    if (bytes <= this.#most_of_account_bytes) return new NoKeptRoom();
    return new GatewayError(
      "request_too_large",
      `The body has so many values that it would take about ${bytes} bytes of memory; allowed: at most ${this.#most_of_account_bytes}.`,
    );
  }

  /** For claims alone. */
  add(account_id: string, bytes: number): void {
    this.#used_bytes += bytes;
    const own = (this.#by_account.get(account_id) ?? 0) + bytes;
    if (own === 0) this.#by_account.delete(account_id);
    else this.#by_account.set(account_id, own);
  }
}

/** What one body has taken of the room. */
export class KeptClaim {
  readonly #room: KeptRoom;
  readonly #account_id: string;
  #bytes = 0;
  #has_ended = false;

  constructor(room: KeptRoom, account_id: string, bytes: number) {
    this.#room = room;
    this.#account_id = account_id;
    this.weighs(bytes);
  }

  /** How much the body may weigh. */
  get room_bytes(): number {
    return this.#bytes + this.#room.leftFor(this.#account_id);
  }

  /** Takes the room that the body was found to need, in place of what was taken before. */
  weighs(bytes: number): void {
    if (this.#has_ended) return;
    this.#room.add(this.#account_id, bytes - this.#bytes);
    this.#bytes = bytes;
  }

  /** Gives the room back. Once is enough, and more does no harm. */
  end(): void {
    this.weighs(0);
    this.#has_ended = true;
  }
}

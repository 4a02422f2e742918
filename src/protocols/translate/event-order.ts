import type { StreamEvent } from "../../core/answer/stream-event.ts";
import { GatewayError } from "../../core/errors.ts";

/**
 * Checks a sequence of events against the promises of core/answer/stream-event.ts: one start first, blocks with consecutive
 * indexes that never overlap, one end last. An encoder can then never write an illegal stream. A violation is a mistake
 * of the gateway, not of the vendor: it throws `internal_error`, and the answer fails instead of confusing a client.
 */
export class EventOrder {
  /** The index of the open block, or -1. */
  open = -1;
  #next = 0;
  #state: "before" | "within" | "after" = "before";

  take(event: StreamEvent): void {
    switch (event.type) {
      case "block-delta":
        // The first case, because nearly every event is a delta.
        if (event.index !== this.open) throw violation(`a delta of block ${event.index}`, this.#place());
        return;
      case "start":
        if (this.#state !== "before") throw violation("a start", this.#place());
        this.#state = "within";
        return;
      case "block-start":
        if (this.#state !== "within" || this.open !== -1 || event.index !== this.#next)
          throw violation(`the start of block ${event.index}`, this.#place());
        this.open = event.index;
        this.#next++;
        return;
      case "block-end":
        if (event.index !== this.open) throw violation(`the end of block ${event.index}`, this.#place());
        this.open = -1;
        return;
      case "finish":
        if (this.#state !== "within" || this.open !== -1) throw violation("a finish", this.#place());
        this.#state = "after";
        return;
      case "error":
        if (this.#state === "after") throw violation("an error", this.#place());
        this.#state = "after";
        return;
    }
  }

  #place(): string {
    if (this.#state !== "within") return `${this.#state} the answer`;
    return this.open === -1 ? `where block ${this.#next} may start` : `inside block ${this.open}`;
  }
}

function violation(what: string, where: string): GatewayError {
  const cause = new Error(`${what} came ${where}`);
  return new GatewayError("internal_error", "The model's answer could not be translated. It has been recorded.", {
    cause,
  });
}

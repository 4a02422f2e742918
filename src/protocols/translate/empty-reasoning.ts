import type { BlockStart, StreamEvent } from "../../core/answer/stream-event.ts";
import type { Emit, EventPass } from "./event-pass.ts";

/** Leaves out reasoning that has neither a text nor a signature: it says nothing, and some vendors refuse to get it back. */
export class NoEmptyReasoning implements EventPass {
  /** The start of reasoning that has said nothing so far. */
  #start: BlockStart | null = null;
  /** How many blocks were left out: the blocks behind them move up. */
  #left_out = 0;

  take(event: StreamEvent, emit: Emit): void {
    switch (event.type) {
      case "block-delta":
        if (this.#start !== null) {
          if (event.text === "") return;
          this.#release(emit);
        }
        return emit(this.#moved(event));
      case "block-start":
        if (event.block.kind !== "reasoning") return emit(this.#moved(event));
        this.#start = event;
        return;
      case "block-end":
        if (this.#start !== null && event.opaque === undefined) {
          this.#start = null;
          this.#left_out += 1;
          return;
        }
        this.#release(emit);
        return emit(this.#moved(event));
      default:
        return emit(event);
    }
  }

  #release(emit: Emit): void {
    if (this.#start !== null) emit(this.#moved(this.#start));
    this.#start = null;
  }

  #moved<Event extends StreamEvent & { readonly index: number }>(event: Event): Event {
    return this.#left_out === 0 ? event : { ...event, index: event.index - this.#left_out };
  }
}

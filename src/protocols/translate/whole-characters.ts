import type { BlockDelta, StreamEvent } from "../../core/answer/stream-event.ts";
import type { Emit, EventPass } from "./event-pass.ts";

/**
 * Keeps characters whole that a vendor splits between two deltas, as escapes of their two halves: half a character is
 * not valid text, and clients in languages with strict strings fail on it. The half waits for the next delta of its
 * block.
 */
export class WholeCharacters implements EventPass {
  #half = "";

  take(event: StreamEvent, emit: Emit): void {
    if (event.type === "block-delta") {
      if (this.#half !== "" || endsInHalf(event.text)) this.#join(event, emit);
      else emit(event);
      return;
    }
    if (event.type === "block-end" && this.#half !== "") {
      emit({ type: "block-delta", index: event.index, text: this.#half });
      this.#half = "";
    }
    emit(event);
  }

  #join(event: BlockDelta, emit: Emit): void {
    const text = this.#half + event.text;
    const end = endsInHalf(text) ? text.length - 1 : text.length;
    this.#half = text.slice(end);
    if (end > 0 || event.logprobs !== undefined) emit({ ...event, text: text.slice(0, end) });
  }
}

function endsInHalf(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff;
}

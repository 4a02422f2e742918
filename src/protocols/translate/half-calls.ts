import type { StreamEvent } from "../../core/answer/stream-event.ts";
import { HALF_CALL } from "../shared/endings.ts";
import { WholeObject } from "../shared/whole-object.ts";
import type { Emit, EventPass } from "./event-pass.ts";

/**
 * An answer whose vendor ends it well, but within the arguments of a call, is broken: half a call is none, and an agent that
 * got it would run its tool with less than the model meant (docs/rulings.md 172). Where the answer was cut for its length,
 * half a call is what there is.
 */
export class HalfCalls implements EventPass {
  #open: WholeObject | null = null;
  #has_half = false;

  take(event: StreamEvent, emit: Emit): void {
    switch (event.type) {
      case "block-start":
        this.#open = event.block.kind === "tool-call" && event.block.tool === "function" ? new WholeObject() : null;
        break;
      case "block-delta":
        this.#open?.add(event.text);
        break;
      case "block-end":
        this.#has_half ||= this.#open?.is_begun === true;
        this.#open = null;
        break;
      case "start":
      case "error":
        break;
      case "finish":
        if (this.#has_half && (event.reason === "stop" || event.reason === "tool-calls"))
          return emit({ type: "error", ...HALF_CALL });
    }
    emit(event);
  }
}

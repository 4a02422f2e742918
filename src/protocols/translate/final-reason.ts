import type { FinishEvent, StreamEvent } from "../../core/answer/stream-event.ts";
import type { Emit, EventPass } from "./event-pass.ts";

/**
 * Derives from the blocks whether an answer ends for its tool calls, whatever reason the vendor sends (docs/rulings.md
 * 6): an agent that receives `stop` while calls wait does nothing, and an agent that receives `tool_calls` without any
 * call waits.
 */
export class FinalReason implements EventPass {
  #has_calls = false;

  take(event: StreamEvent, emit: Emit): void {
    if (event.type === "block-start" && event.block.kind === "tool-call") this.#has_calls = true;
    emit(event.type === "finish" ? this.#derived(event) : event);
  }

  #derived(event: FinishEvent): FinishEvent {
    if (event.reason !== "stop" && event.reason !== "tool-calls") return event;
    const reason = this.#has_calls ? "tool-calls" : "stop";
    return reason === event.reason ? event : { ...event, reason };
  }
}

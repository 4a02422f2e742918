import type { BlockDelta, BlockStart, FinishEvent, StreamEvent } from "../../core/answer/stream-event.ts";
import { HALF_CALL } from "../shared/endings.ts";
import { WholeObject } from "../shared/whole-object.ts";
import { EventOrder } from "./event-order.ts";
import { type Emit, type EventPass, throughPasses } from "./event-pass.ts";

/** What every translated answer goes through, whole or streamed, beside the passes that its request needs. */
export class EveryAnswer {
  readonly order = new EventOrder();
  readonly meter = new OutputMeter();
  /** Takes an event of the vendor's. */
  readonly take: Emit;

  /** `show` gets the events that the client sees, in a legal order. */
  constructor(passes: readonly EventPass[], show: Emit) {
    const all = [new HalfCalls(), ...passes, new FinalReason(), new WholeCharacters()];
    this.take = throughPasses(all, (event) => {
      this.order.take(event);
      this.meter.take(event);
      show(event);
    });
  }
}

/**
 * An answer whose vendor ends it well, but within the arguments of a call, is broken: half a call is none, and an agent that
 * got it would run its tool with less than the model meant (docs/rulings.md 172). Where the answer was cut for its length,
 * half a call is what there is.
 */
class HalfCalls implements EventPass {
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

/**
 * Derives from the blocks whether an answer ends for its tool calls, whatever reason the vendor sends (docs/rulings.md
 * 6): an agent that receives `stop` while calls wait does nothing, and an agent that receives `tool_calls` without any
 * call waits.
 */
class FinalReason implements EventPass {
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

/** The most generated text that an estimate starts from. */
const MAX_SAMPLE_LENGTH = 256 * 1024;

/** Measures the generated text of an answer, for estimates, and to know whether there was any content. */
class OutputMeter {
  /** UTF-8 bytes of generated text, reasoning and arguments. */
  bytes = 0;
  sample = "";
  has_content = false;

  take(event: StreamEvent): void {
    if (event.type === "block-delta") {
      if (event.text === "") return;
      this.has_content = true;
      this.bytes += Buffer.byteLength(event.text);
      if (this.sample.length < MAX_SAMPLE_LENGTH) this.sample += event.text;
    } else if (event.type === "block-start") {
      if (event.block.kind === "tool-call") this.has_content = true;
    } else if (event.type === "block-end" && event.opaque !== undefined) this.has_content = true;
  }
}

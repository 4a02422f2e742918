import type { StreamAnswer } from "../../core/answer/exchange.ts";
import type { GatewayError } from "../../core/errors.ts";
import { isObject } from "../../core/json.ts";
import { laterUsage, replacementUsage, type Usage, withServed } from "../../core/money/usage.ts";
import { eventData, eventFrame, joinFrames } from "../shared/event-frames.ts";
import type { MemberChange } from "../shared/json-members.ts";
import { NamedStream } from "../shared/named-stream.ts";
import { withoutVendorCosts, withUsage } from "../shared/usage-event.ts";
import { mayTellCosts, type UsageEdit } from "../shared/vendor-costs.ts";
import { AnswerLog } from "./answer-log.ts";
import { emptyResponse } from "./empty-response.ts";
import type { Frame } from "./event-numbers.ts";
import { readFailure } from "./failure.ts";
import { issuedFrame } from "./issued-items.ts";
import { faultOfEnd } from "./judge-end.ts";
import { contentOf } from "./match-output.ts";
import { mendEnd } from "./mend-end.ts";
import { StreamMender } from "./mend-stream.ts";
import { correctedUsage, readUsage, writeUsage } from "./read-usage.ts";
import { closingEvents, outputSoFar, type RebuiltItem, rebuildOutput, type UnnumberedEvent } from "./rebuild-output.ts";

const NOTHING = Buffer.alloc(0);
const DELTA = Buffer.from('"delta"');
/** Audio in base64, which an estimate of the usage does not count. */
const AUDIO_DELTA = "response.audio.delta";

/** The terminal event with the model's name swapped, its data as the vendor sent it, and the usage to show where that is not right. */
interface Withheld {
  readonly frame: Buffer;
  readonly data: Record<string, unknown> | null;
  usage: UsageEdit;
}

/** A relayed responses stream: every frame passes unchanged except for the model's name, and is metered. */
export class ResponsesStream extends NamedStream implements StreamAnswer {
  usage: Usage | null = null;
  rejected_usage: unknown = null;
  readonly #model_id: string;
  /** The stored response that the client continued from; the vendor does not know it. */
  readonly #previous: string | null;
  readonly #log = new AnswerLog();
  readonly #mender: StreamMender;
  #items_so_far: readonly RebuiltItem[] | null = null;
  /** The last event that the client received, for its number, and how many it received, for events without a number. */
  #last_sent: Buffer | null = null;
  #sent_count = 0;
  /** The terminal frame, which is sent after the charge is recorded. */
  #withheld: Withheld | null = null;

  constructor(model_id: string, previous: string | null = null, issuer: string | null = null) {
    super(model_id, "response", issuedFrame, issuer);
    this.#model_id = model_id;
    this.#previous = previous;
    this.#mender = new StreamMender(model_id, (index) => textOfItem(this.#rebuilt()[index]));
  }

  /** The last event is the one that completes the answer. */
  get terminated(): boolean {
    return this.complete;
  }

  finish(billed?: Usage, cost?: string): Buffer {
    if (this.#withheld === null) return NOTHING;
    const { frame, data, usage: corrected } = this.#withheld;
    const owed = replacementUsage(billed, this.usage);
    const usage = owed === null ? corrected : { ...writeUsage(owed) };
    const is_right = usage === undefined && cost === undefined && this.#previous === null && !mayTellCosts(frame);
    return is_right ? frame : withUsage(frame, { usage, cost, changes: this.#changes }, "response", data);
  }

  cut(usage: Usage, cost?: string): Buffer {
    if (this.complete) return this.finish(usage, cost);
    const items = rebuildOutput(this.#log, this.tape);
    const response = {
      ...this.#response(),
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
      output: outputSoFar(items),
      usage: { ...writeUsage(usage), cost },
    };
    return this.#numbered([...closingEvents(items), { type: "response.incomplete", response }]);
  }

  fail(error: GatewayError): Buffer {
    const response = {
      ...this.#response(),
      status: "failed",
      error: { code: error.code, message: error.message },
      output: outputSoFar(rebuildOutput(this.#log, this.tape)),
    };
    return this.#numbered([{ type: "response.failed", response }]);
  }

  protected take(name: string, frame: Buffer): Buffer | null {
    if (this.complete || this.failure !== null) return null;
    if (this.#mender.isRight(name, frame)) return this.#pass(name, frame);
    switch (name) {
      case "":
      case "error":
      case "response.failed":
        return this.#pass(name, frame);
      case "response.completed":
      case "response.incomplete":
        return this.#end(name, frame);
    }
    return this.#passAll(this.#mender.mend(name, frame));
  }

  #passAll(frames: readonly Frame[]): Buffer | null {
    const sent = frames.flatMap(({ name, bytes }) => this.#pass(name, bytes) ?? []);
    return sent.length === 0 ? null : joinFrames(sent);
  }

  /** The bytes of a frame that clients can read; null for one that they do not get. */
  #pass(name: string, frame: Buffer): Buffer | null {
    if (name.endsWith(".delta")) {
      this.#meterDelta(name, frame);
      return this.#sent(frame);
    }
    switch (name) {
      case "error":
      case "response.failed":
        this.failure = readFailure(eventData(frame));
        return null;
      case "response.created":
      case "response.in_progress":
      case "response.queued": {
        const swapped = this.#following(this.swap.swap(withoutVendorCosts(frame, "response")));
        this.#log.note(name, swapped);
        return this.#sent(swapped);
      }
    }
    this.#log.note(name, frame);
    this.has_content ||= bearsContent(name, frame);
    return this.#sent(frame);
  }

  /** The hot path: no parsing, one search for the content's key. */
  #meterDelta(name: string, frame: Buffer): void {
    this.has_content = true;
    if (name === AUDIO_DELTA) return;
    const from = this.tape.position;
    this.tape.take(frame, DELTA, 0);
    this.#log.noteDelta(name, frame, from, this.tape.position);
  }

  /** Takes the last event. It is withheld; what it tells for the first time is passed on now. */
  #end(name: string, frame: Buffer): Buffer | null {
    const data = eventData(frame) ?? {};
    let usage: UsageEdit;
    const frames = mendEnd(
      this.#mender,
      { name, bytes: frame, data },
      (index) => outputSoFar(this.#rebuilt().slice(index, index + 1))[0] ?? {},
      (response) => {
        usage = this.#count(response);
        this.failure = faultOfEnd(response);
      },
    );
    if (this.failure !== null) return null;
    const sent = this.#passAll(frames.slice(0, -1));
    this.complete = true;
    const last = frames.at(-1)?.bytes ?? frame;
    this.#withheld = { frame: this.swap.swap(last), data: last === frame ? data : eventData(last), usage };
    return sent;
  }

  /** The items so far, gathered once, when the last event needs them. */
  #rebuilt(): readonly RebuiltItem[] {
    this.#items_so_far ??= rebuildOutput(this.#log, this.tape);
    return this.#items_so_far;
  }

  /** Reads the usage; returns what to show in its place. */
  #count({ usage: raw, output, service_tier }: Record<string, unknown>): UsageEdit {
    if (!isObject(raw)) return undefined;
    const read = readUsage(raw, output);
    this.usage = read === null ? null : laterUsage(this.usage, withServed(read, service_tier));
    if (this.usage !== null) return correctedUsage(raw, this.usage) ?? undefined;
    this.rejected_usage = raw;
    return undefined;
  }

  /** A life cycle event with the id of the response that the client continued from. */
  #following(frame: Buffer): Buffer {
    return this.#previous === null ? frame : withUsage(frame, { changes: this.#changes }, "response");
  }

  /** What the gateway changes in each response object, beside its model. */
  get #changes(): readonly MemberChange[] {
    return this.#previous === null ? [] : [["previous_response_id", JSON.stringify(this.#previous)]];
  }

  #sent(frame: Buffer): Buffer {
    this.#last_sent = frame;
    this.#sent_count++;
    return frame;
  }

  /** The response object as the client last received it. */
  #response(): Record<string, unknown> {
    const data = this.#log.response === null ? null : eventData(this.#log.response);
    return isObject(data?.response) ? data.response : emptyResponse(this.#model_id);
  }

  #numbered(events: readonly UnnumberedEvent[]): Buffer {
    const last = this.#last_sent === null ? null : eventData(this.#last_sent);
    const first = typeof last?.sequence_number === "number" ? last.sequence_number + 1 : this.#sent_count;
    return joinFrames(
      events.map((event, index) => eventFrame(event.type, { ...event, sequence_number: first + index })),
    );
  }
}

/** Whether an event about an item is content. Messages and reasoning start empty; any other item is content itself. */
function bearsContent(name: string, frame: Buffer): boolean {
  if (name === "response.output_item.done") return true;
  if (name !== "response.output_item.added") return false;
  const item = eventData(frame)?.item;
  return isObject(item) && item.type !== "message" && item.type !== "reasoning";
}

function textOfItem(item: RebuiltItem | undefined): string {
  return item === undefined ? "" : contentOf(outputSoFar([item])[0] ?? {});
}

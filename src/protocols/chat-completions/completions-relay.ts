import type {
  ClientRequest,
  Exchange,
  ProtocolAdapter,
  StreamAnswer,
  Target,
  VendorFailure,
} from "../../core/answer/exchange.ts";
import { OPEN_BRACE } from "../../core/ascii.ts";
import { systemClock } from "../../core/clock.ts";
import type { GatewayError } from "../../core/errors.ts";
import { randomBase62 } from "../../core/ids.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import { replacementUsage, type Usage } from "../../core/money/usage.ts";
import { BodyChanges } from "../shared/body-changes.ts";
import { styleAError } from "../shared/error-styles.ts";
import { joinFrames, takeFrames } from "../shared/event-frames.ts";
import { replaceMembers } from "../shared/json-members.ts";
import { nameText } from "../shared/json-text.ts";
import { readRelayedError } from "../shared/relayed-error.ts";
import { SseFrames } from "../shared/sse-frames.ts";
import { readErrorObject } from "../shared/vendor-error.ts";
import { type CompletionRequest, type Prompt, promptsOf } from "./completions-request.ts";
import { DATA_START, DONE_FRAME, dataFrame, dataTextFrame, isDone, plainData, plainFrame } from "./data-frames.ts";
import { withUsage } from "./frame-edits.ts";
import { choiceIndex, choicesOf, errorOf, parseChunk } from "./inspect-chunk.ts";
import { readCompletion, type WholeChoices, wantsUsage } from "./relay.ts";
import { findUsage, noteUsage, showUsage } from "./usage.ts";

/** Completions by a vendor of chat completions, at its `/completions`: the client's own body, but for what must change (docs/rulings.md 215). */
export const relayCompletions: ProtocolAdapter = { prepare };

/** Without these an answer would be another than was asked for: the vendor itself refuses what it does not know. */
const KEPT: ReadonlySet<string> = new Set([
  "model",
  "prompt",
  "suffix",
  "echo",
  "n",
  "best_of",
  "max_tokens",
  "stream",
]);

function prepare(request: ClientRequest, target: Target): Exchange {
  const body = request.body as CompletionRequest;
  const changes = changesFor(request, target);
  const parts = changes.apply();
  const shown: ShownCompletion = {
    model_id: target.model.id,
    choices: promptsOf(body).length * (body.n ?? 1),
    echoed: body.echo === true ? promptsOf(body) : [],
  };
  return {
    path: "/completions",
    parts,
    get body() {
      return parts.join("");
    },
    headers: {},
    ignored: changes.ignored,
    readWhole: (sent) => readCompletion(sent, shown.model_id, (answer) => wholeChoices(answer, shown)),
    openStream: () => new CompletionStream(shown, wantsUsage(request)),
    readError: readRelayedError,
  };
}

/** The cap is always sent: vendors have other usual ones than the public API. A stream's usage is asked for, as it is billed by. */
function changesFor(request: ClientRequest, { vendor, upstream_model }: Target): BodyChanges {
  const changes = new BodyChanges(request);
  if (request.body.model !== upstream_model) changes.set("model", nameText(upstream_model));
  for (const field of vendor.quirks.unsupported_fields ?? []) if (!KEPT.has(field)) changes.leaveOut(field);
  if (!vendor.forwards_safety_identifier) changes.leaveOut("user");
  if (!changes.isGiven("max_tokens")) changes.set("max_tokens", String(request.output_cap));
  if (!request.stream || vendor.quirks.no_stream_options) changes.remove("stream_options");
  else {
    const options = changes.value("stream_options") ?? "{}";
    const sent = options === "null" ? "{}" : options;
    changes.set("stream_options", replaceMembers(sent, new Map([["include_usage", "true"]])));
  }
  return changes;
}

/** The text that was generated, and the members that clients read, where the vendor left one out. */
function wholeChoices(answer: JsonRecord, shown: ShownCompletion): WholeChoices {
  const envelope = envelopeOf(answer, shown.model_id);
  const missing = (["id", "object", "created"] as const).filter((name) => answer[name] !== envelope[name]);
  const generated = choicesOf(answer)
    .map((choice, place) => generatedOf(choice, place, shown))
    .join("");
  return {
    members: Object.fromEntries(missing.map((name) => [name, envelope[name]])),
    ...{ failure: null, has_content: generated !== "", generated: () => generated },
  };
}

function generatedOf(choice: JsonRecord, place: number, shown: ShownCompletion): string {
  return typeof choice.text === "string" ? generatedIn(choice.text, choiceIndex(choice, place), shown) : "";
}

const NOTHING: Buffer = Buffer.alloc(0);
const MOST_SAMPLE_LENGTH = 256 * 1024;

/** What is known of an answer before it comes. */
interface ShownCompletion {
  /** The catalogue id that the client sees. */
  readonly model_id: string;
  /** How many choices the client gets. */
  readonly choices: number;
  /** The prompts, where they come before the text that was generated from them; else none. */
  readonly echoed: readonly Prompt[];
}

/** The text of a choice that was generated: what was echoed before it was not. */
function generatedIn(text: string, index: number, { choices, echoed }: ShownCompletion): string {
  const prompt = echoed[Math.floor((index * echoed.length) / choices)];
  return typeof prompt === "string" && text.startsWith(prompt) ? text.slice(prompt.length) : text;
}

/** The envelope of an answer, with what a vendor left out. */
function envelopeOf(told: JsonRecord | null, model_id: string) {
  return {
    id: typeof told?.id === "string" ? told.id : `cmpl-${randomBase62(22)}`,
    object: "text_completion",
    created: typeof told?.created === "number" ? told.created : Math.floor(systemClock.now_ms() / 1000),
    model: model_id,
  };
}

/** A vendor's stream of completions on its way to the client. Chunks with a usage alone, and `[DONE]`, wait for `finish`. */
class CompletionStream implements StreamAnswer {
  usage: Usage | null = null;
  rejected_usage: unknown = null;
  has_content = false;
  failure: VendorFailure | null = null;
  terminated = false;
  readonly #shown: ShownCompletion;
  readonly #shows_usage: boolean;
  readonly #frames = new SseFrames();
  readonly #texts = new Map<number, string>();
  readonly #finished = new Set<number>();
  #envelope: ReturnType<typeof envelopeOf> | null = null;

  constructor(shown: ShownCompletion, shows_usage: boolean) {
    this.#shown = shown;
    this.#shows_usage = shows_usage;
  }

  get complete(): boolean {
    return this.terminated || this.#finished.size >= this.#shown.choices;
  }

  get output_bytes(): number {
    return Buffer.byteLength(this.#generated());
  }

  get output_sample(): string {
    return this.#generated().slice(0, MOST_SAMPLE_LENGTH);
  }

  push(chunk: Uint8Array): Uint8Array {
    if (this.#isOver) return NOTHING;
    this.#frames.feed(chunk);
    return takeFrames(this, this.#frames, (frame) => this.#take(frame));
  }

  end(): Uint8Array {
    const frame = this.#isOver ? null : this.#frames.end();
    this.failure ??= this.#frames.fault;
    return (frame === null ? null : this.#take(frame)) ?? NOTHING;
  }

  finish(billed?: Usage, cost?: string): Uint8Array {
    const usage = replacementUsage(billed, this.usage) ?? this.usage;
    return joinFrames([...this.#usageFrames(usage, cost), DONE_FRAME]);
  }

  cut(usage: Usage, cost?: string): Uint8Array {
    const open = Array.from({ length: this.#shown.choices }, (_, index) => index).filter(
      (index) => !this.#finished.has(index),
    );
    const choices = open.map((index) => ({ index, text: "", logprobs: null, finish_reason: "length" }));
    const ends = choices.length === 0 ? [] : [dataFrame({ ...this.#closing(), choices })];
    return joinFrames([...ends, ...this.#usageFrames(usage, cost), DONE_FRAME]);
  }

  fail(error: GatewayError): Uint8Array {
    return dataFrame(styleAError(error));
  }

  get #isOver(): boolean {
    return this.terminated || this.failure !== null;
  }

  #closing() {
    this.#envelope ??= envelopeOf(null, this.#shown.model_id);
    return this.#envelope;
  }

  #usageFrames(usage: Usage | null, cost: string | undefined): Buffer[] {
    if (!this.#shows_usage || usage === null) return [];
    return [dataFrame({ ...this.#closing(), choices: [], usage: { ...showUsage(usage), cost } })];
  }

  #generated(): string {
    return [...this.#texts].map(([index, text]) => generatedIn(text, index, this.#shown)).join("");
  }

  #take(frame: Buffer): Buffer | null {
    const plain = plainFrame(frame, this.#frames.hasCr);
    if (plain === null) return null;
    if (plain[DATA_START] !== OPEN_BRACE) {
      this.terminated = isDone(plain);
      return null;
    }
    const chunk = parseChunk(plainData(plain));
    if (chunk === null) return null;
    const error = errorOf(chunk);
    if (error !== null) {
      this.failure = readErrorObject(error);
      return null;
    }
    noteUsage(this, findUsage(chunk));
    this.#envelope ??= envelopeOf(chunk, this.#shown.model_id);
    return this.#takeChoices(plain, chunk);
  }

  /** A chunk as the client gets it: its usage comes at the end, once the answer is charged. Null for one with a usage alone. */
  #takeChoices(plain: Buffer, chunk: JsonRecord): Buffer | null {
    const told = choicesOf(chunk);
    if (told.length === 0) return null;
    for (const [place, choice] of told.entries()) {
      const index = choiceIndex(choice, place);
      const text = typeof choice.text === "string" ? choice.text : "";
      if (text !== "") this.has_content = true;
      this.#texts.set(index, (this.#texts.get(index) ?? "") + text);
      if (typeof choice.finish_reason === "string" && choice.finish_reason !== "") this.#finished.add(index);
    }
    const rest = isObject(chunk.usage) ? withUsage(plain, { usage: null }) : withUsage(plain, {});
    const shown = parseChunk(plainData(rest)) ?? chunk;
    const { object, created, id } = this.#closing();
    return dataTextFrame(
      JSON.stringify({
        ...shown,
        id: shown.id ?? id,
        object,
        created: shown.created ?? created,
        model: this.#shown.model_id,
      }),
    );
  }
}

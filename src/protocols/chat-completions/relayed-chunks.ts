import type { VendorFailure } from "../../core/answer/exchange.ts";
import { systemClock } from "../../core/clock.ts";
import { newId } from "../../core/ids.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import { NO_CHOICES } from "./chunk-events.ts";
import { choiceIndex } from "./inspect-chunk.ts";
import { RelayedChoice } from "./relayed-choices.ts";

/** The members that every chunk has, besides its choices. */
interface Envelope {
  readonly id: string;
  readonly object: string;
  readonly created: number;
}

/** The end of a choice that its vendor ended without a finish reason. */
export interface MissingEnd {
  readonly index: number;
  readonly delta: JsonRecord;
  readonly finish_reason: string;
}

/** The chunks of a relayed stream with the members that official SDKs read without asking (docs/api.md 6.1). */
export class RelayedChunks {
  failure: VendorFailure | null = null;
  readonly #choices = new Map<number, RelayedChoice>();
  #envelope: Envelope | null = null;
  readonly #issuer: string;
  #finished = 0;

  /** `issuer`: whose the values in `reasoning_details` are. */
  constructor(issuer: string) {
    this.#issuer = issuer;
  }

  /** How many choices have begun. */
  get begun(): number {
    return this.#choices.size;
  }

  /** How many choices have a finish reason. */
  get finished(): number {
    return this.#finished;
  }

  isBegun(index: number): boolean {
    return this.#choices.has(index);
  }

  /** The choices without a finish reason: those that have begun, those before them, and those of the `asked` that have not. */
  unfinished(asked: number): readonly number[] {
    const count = Math.max(asked, ...[...this.#choices.keys()].map((index) => index + 1));
    return Array.from({ length: count }, (_, index) => index).filter((index) => !this.#choices.get(index)?.is_finished);
  }

  /** A chunk as the client gets it, the chunk itself where it lacks nothing; `has_content`: content has gone before it. */
  take(chunk: JsonRecord, has_content: boolean): JsonRecord {
    const envelope = this.#envelopeOf(chunk);
    const told: readonly unknown[] = Array.isArray(chunk.choices) ? chunk.choices : NONE;
    const choices: JsonRecord[] = [];
    let is_same = told === chunk.choices;
    for (const choice of told) {
      const own = isObject(choice) ? this.#takeChoice(choice, choices.length, has_content) : null;
      if (own !== null) choices.push(own);
      is_same &&= own !== null && own === choice;
    }
    if (is_same && envelope === null) return chunk;
    return { ...chunk, ...envelope, choices: is_same ? told : choices };
  }

  /** Ends the choices to which the vendor gave no finish reason before its last frame; openai-node reads also those that it left out. */
  end(): readonly MissingEnd[] {
    if (this.#choices.size === 0) this.failure = NO_CHOICES;
    return this.unfinished(0).map((index) => {
      const choice = this.#choices.get(index);
      if (choice === undefined) return { index, delta: { role: "assistant" }, finish_reason: "stop" };
      const finish_reason = choice.end();
      this.failure ??= choice.failure;
      const calls = choice.missing_arguments;
      return { index, delta: calls.length === 0 ? {} : { tool_calls: calls }, finish_reason };
    });
  }

  #takeChoice(told: JsonRecord, place: number, has_content: boolean): JsonRecord {
    const index = choiceIndex(told, place);
    let choice = this.#choices.get(index);
    if (choice === undefined) {
      choice = new RelayedChoice(index, this.#issuer);
      this.#choices.set(index, choice);
    }
    const was_finished = choice.is_finished;
    const shown = choice.takeDelta(told, has_content);
    if (choice.is_finished && !was_finished) this.#finished += 1;
    this.failure ??= choice.failure;
    return shown;
  }

  /** The members that a chunk lacks, as the first chunk had them; null where it has all. */
  #envelopeOf({ id, object, created }: JsonRecord): Envelope | null {
    const first = this.#envelope;
    const envelope = {
      id: typeof id === "string" ? id : (first?.id ?? newId("chatcmpl")),
      object: KIND,
      created: typeof created === "number" ? created : (first?.created ?? Math.floor(systemClock.now_ms() / 1000)),
    };
    this.#envelope ??= envelope;
    return envelope.id === id && envelope.created === created && object === KIND ? null : envelope;
  }
}

const NONE: readonly unknown[] = [];
/** openai-python skips chunks of another kind. */
const KIND = "chat.completion.chunk";

import type { VendorFailure } from "../../core/answer/exchange.ts";
import type { Opaque, OpaqueFamily } from "../../core/answer/generation.ts";
import type { BlockKind } from "../../core/answer/stream-event.ts";
import { isObject, type JsonRecord, plainNumber, plainText } from "../../core/json.ts";
import { isPlausibleCount, laterUsage, type Usage, withExtra, withServed } from "../../core/money/usage.ts";
import { AnswerEvents } from "../shared/answer-events.ts";
import { BlockSequence, type OpenBlock } from "../shared/block-sequence.ts";
import { callIdOf, callNameOf } from "../shared/call-ids.ts";
import { endedWith, readEnding } from "../shared/endings.ts";
import { allWrites, extraOf, toldWrites, unknownIn } from "../shared/rare-usage.ts";

interface OpenConverseBlock {
  readonly opened: OpenBlock;
  readonly kind: BlockKind["kind"];
  is_empty: boolean;
  signature: string;
  redacted: string;
}

/** Builds the events of a Converse answer, streamed or whole, from its parts. */
export class ConverseAnswerReader extends AnswerEvents {
  usage: Usage | null = null;
  rejected_usage: unknown = null;
  readonly #family: OpaqueFamily;
  readonly #sequence = new BlockSequence((event) => this.events.push(event));
  readonly #blocks = new Map<number, OpenConverseBlock>();
  #started = false;
  #has_content = false;
  #stop: { readonly word: string; readonly sequence: string | null } | null = null;

  /** `signer` is the family whose signatures the model makes. */
  constructor(signer: OpaqueFamily) {
    super();
    this.#family = signer;
  }

  start(): void {
    if (this.#started) return;
    this.#started = true;
    this.events.push({ type: "start", id: null, created: null, usage: null });
  }

  openTool(index: number, { toolUseId, name }: JsonRecord): void {
    const id = callIdOf(toolUseId, "tooluse");
    this.#open(index, { kind: "tool-call", id, name: callNameOf(name), tool: "function" });
  }

  /** Takes a delta of a block; a block without a start event opens with its first delta. */
  add(index: number, delta: JsonRecord): void {
    if (typeof delta.text === "string") this.#write(this.#blockOf(index, "text"), delta.text);
    if (isObject(delta.toolUse) && typeof delta.toolUse.input === "string") this.#addInput(index, delta.toolUse.input);
    if (isObject(delta.reasoningContent)) this.#addReasoning(index, delta.reasoningContent);
  }

  close(index: number): void {
    const block = this.#blocks.get(index);
    if (block === undefined) return;
    this.#blocks.delete(index);
    // In a stream, a call without arguments has no delta.
    if (block.kind === "tool-call" && block.is_empty) this.#sequence.add(block.opened, "{}");
    this.#sequence.end(block.opened, this.#opaqueOf(block));
  }

  stop(stopReason: unknown, fields: unknown): void {
    this.#stop = { word: typeof stopReason === "string" ? stopReason : "", sequence: stopSequence(fields) };
  }

  /** `tier` is the service tier beside the usage: `{type: "priority"}`. */
  noteUsage(usage: unknown, tier?: unknown): void {
    if (usage === undefined || usage === null) return;
    const read = readUsage(usage);
    if (read === null) this.rejected_usage = usage;
    else this.usage = laterUsage(this.usage, withServed(read, isObject(tier) ? tier.type : undefined));
  }

  /** Ends the answer if the vendor has sent a stop reason. */
  finish(): void {
    if (this.is_over || this.#stop === null) return;
    const { word, sequence } = this.#stop;
    const reason = word === "" ? "stop" : readEnding(word, this.#has_content);
    if (reason === "failed") return this.fail(endedWith(word));
    this.start();
    for (const index of [...this.#blocks.keys()]) this.close(index);
    this.is_over = true;
    this.events.push({
      type: "finish",
      reason,
      stop_sequence: sequence,
      raw_reason: word === "" ? null : word,
      usage: this.usage,
    });
  }

  override fail(failure: VendorFailure): void {
    if (!this.is_over) super.fail(failure);
  }

  #addInput(index: number, input: string): void {
    const block = this.#blocks.get(index);
    if (block?.kind === "tool-call") this.#write(block, input);
  }

  #addReasoning(index: number, { text, signature, redactedContent }: JsonRecord): void {
    const block = this.#blockOf(index, "reasoning");
    if (typeof text === "string") this.#write(block, text);
    if (typeof signature === "string") block.signature += signature;
    if (typeof redactedContent === "string") block.redacted += redactedContent;
  }

  #write(block: OpenConverseBlock, text: string): void {
    if (text === "") return;
    block.is_empty = false;
    this.#sequence.add(block.opened, text);
  }

  /** The open block with that index; an open block of another kind ends first. */
  #blockOf(index: number, kind: "text" | "reasoning"): OpenConverseBlock {
    const block = this.#blocks.get(index);
    if (block?.kind === kind) return block;
    this.close(index);
    return this.#open(index, { kind });
  }

  #open(index: number, kind: BlockKind): OpenConverseBlock {
    this.start();
    this.close(index);
    this.#has_content = true;
    const block: OpenConverseBlock = {
      opened: this.#sequence.open(kind),
      kind: kind.kind,
      is_empty: true,
      signature: "",
      redacted: "",
    };
    this.#blocks.set(index, block);
    return block;
  }

  #opaqueOf({ signature, redacted }: OpenConverseBlock): Opaque | null {
    if (redacted !== "") return { family: "bedrock", form: "redacted", data: redacted };
    return signature === "" ? null : { family: this.#family, form: "signature", data: signature };
  }
}

/** The stop sequence that matched, from the fields that only the model's maker has. */
function stopSequence(fields: unknown): string | null {
  if (!isObject(fields)) return null;
  const holder = isObject(fields.delta) ? fields.delta : fields;
  return typeof holder.stop_sequence === "string" ? holder.stop_sequence : null;
}

/**
 * Converse's `usage` in disjoint classes, as the vendor counts already: the input is counted without cache reads and
 * writes (docs/rulings.md 13), and writes are counted by their lifetimes too. Reasoning has no count of its own.
 * Null when the usage cannot be believed (docs/rulings.md 44).
 */
export function readUsage(usage: unknown): Usage | null {
  if (!isObject(usage)) return null;
  const { inputTokens, outputTokens, cacheReadInputTokens = 0, cacheWriteInputTokens: written = 0 } = usage;
  const writes = toldWrites(byLifetime(usage.cacheDetails), written, "cacheWriteInputTokens");
  const cacheWriteInputTokens = allWrites(written, writes);
  if (!isPlausibleCount(inputTokens) || !isPlausibleCount(outputTokens)) return null;
  if (!isPlausibleCount(cacheReadInputTokens) || !isPlausibleCount(cacheWriteInputTokens)) return null;
  const counted: Usage = {
    input_tokens: inputTokens,
    cache_read_tokens: cacheReadInputTokens,
    cache_write_tokens: cacheWriteInputTokens,
    output_tokens: outputTokens,
    reasoning_tokens: 0,
  };
  const unpriced = unknownIn(usage, KNOWN, true, writes?.names ?? null);
  if (writes === null && unpriced === null) return counted;
  return withExtra(counted, extraOf(writes?.parts, null, unpriced));
}

const KNOWN: ReadonlySet<string> = new Set([
  ...["inputTokens", "outputTokens", "totalTokens", "cacheReadInputTokens", "cacheWriteInputTokens"],
  ...["cacheReadInputTokenCount", "cacheWriteInputTokenCount", "cacheDetails"],
]);

/** Cache writes by names with their lifetimes. Converse has a list of them: `[{ttl: "1h", inputTokens: 10}]`. */
function byLifetime(details: unknown): Record<string, unknown> | null {
  if (!Array.isArray(details)) return null;
  const counts: Record<string, unknown> = {};
  for (const each of details) {
    if (!isObject(each)) continue;
    const name = `cacheDetails_${plainText(each.ttl)}_inputTokens`;
    counts[name] = plainNumber(counts[name] ?? 0) + plainNumber(each.inputTokens ?? 0);
  }
  return counts;
}

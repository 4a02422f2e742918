import type { Ask } from "./ask.ts";
import type { Params } from "./model-name.ts";
import { type Block, type Finish, HONEST, type Performance, type Reasoning, words } from "./performance.ts";
import { sealOf } from "./seal.ts";
import { BYTES_PER_TOKEN, countPieces, countTokens, IMAGE_TOKENS, tokensOfBytes } from "./tokens.ts";

/** The answer that a behaviour makes, before stop sequences and the output cap shorten it. */
interface Script {
  readonly reasoning?: Reasoning | null;
  readonly blocks: readonly Block[];
  readonly finish?: Finish;
}

export function textBlock(text: string): Block {
  return { type: "text", pieces: words(text) };
}

/** Makes a performance of a script: applies stop sequences, then the cap, then counts. */
export function perform(ask: Ask, script: Script): Performance {
  const stopped = applyStop(script.blocks, ask.stop);
  const capped = applyCap(script.reasoning ?? null, stopped.blocks, ask.output_cap);
  const has_calls = capped.blocks.some((block) => block.type === "tool_call");
  const natural = script.finish ?? (has_calls ? "tool_calls" : "stop");
  const stop_sequence = capped.cut ? null : stopped.sequence;
  const finish = capped.cut ? "length" : stop_sequence !== null ? "stop_sequence" : natural;
  const reasoning = capped.reasoning === null ? 0 : countPieces(capped.reasoning.pieces);
  const output = reasoning + capped.blocks.reduce((sum, block) => sum + countBlock(block), 0);
  const usage = { input: countInput(ask), cache_read: 0, cache_write: 0, output, reasoning };
  return {
    reasoning: capped.reasoning,
    blocks: capped.blocks,
    finish,
    stop_sequence,
    usage: stateUsage(usage, ask.model.params),
    usage_reporting: HONEST,
  };
}

/** Tokens of a request's input, as `tokens.ts` defines them. */
export function countInput(ask: Ask): number {
  let bytes = 0;
  for (const text of ask.prompt) bytes += Buffer.byteLength(text);
  return Math.max(1, tokensOfBytes(bytes) + IMAGE_TOKENS * ask.images.length);
}

function countBlock(block: Block): number {
  return block.type === "tool_call" ? countTokens(block.name + block.pieces.join("")) : countPieces(block.pieces);
}

/** Replaces usage counts by those in the model's name: `echo@input=1000&output=50`. */
function stateUsage(usage: Performance["usage"], params: Params): Performance["usage"] {
  if (params.empty) return usage;
  return {
    input: params.count("input", usage.input),
    cache_read: params.count("cache_read", usage.cache_read),
    cache_write: params.count("cache_write", usage.cache_write),
    output: params.count("output", usage.output),
    reasoning: params.count("reasoning", usage.reasoning),
  };
}

/** Ends the text before the first stop sequence in it; the rest of the answer is left out. */
function applyStop(
  blocks: readonly Block[],
  stop: readonly string[],
): { blocks: readonly Block[]; sequence: string | null } {
  if (stop.length === 0) return { blocks, sequence: null };
  for (const [index, block] of blocks.entries()) {
    if (block.type !== "text") continue;
    const text = block.pieces.join("");
    const hits = stop.map((sequence) => ({ sequence, at: text.indexOf(sequence) })).filter(({ at }) => at >= 0);
    const first = hits.sort((a, b) => a.at - b.at)[0];
    if (first === undefined) continue;
    const kept = first.at === 0 ? [] : [textBlock(text.slice(0, first.at))];
    return { blocks: [...blocks.slice(0, index), ...kept], sequence: first.sequence };
  }
  return { blocks, sequence: null };
}

interface Capped {
  readonly reasoning: Reasoning | null;
  readonly blocks: readonly Block[];
  readonly cut: boolean;
}

/** Reasoning counts against the cap first, as at real vendors. A tool call that does not fit is not made. */
function applyCap(reasoning: Reasoning | null, blocks: readonly Block[], cap: number | null): Capped {
  if (cap === null) return { reasoning, blocks, cut: false };
  const thought = reasoning === null ? [] : upToTokens(reasoning.pieces, cap);
  if (reasoning !== null && thought !== reasoning.pieces) {
    return { reasoning: { ...reasoning, pieces: thought, seal: sealOf(thought.join("")) }, blocks: [], cut: true };
  }
  let left = cap - countPieces(thought);
  const kept: Block[] = [];
  for (const block of blocks) {
    const whole = countBlock(block) <= left;
    if (!whole && block.type === "tool_call") return { reasoning, blocks: kept, cut: true };
    const pieces = whole ? block.pieces : upToTokens(block.pieces, left);
    if (pieces.length > 0) kept.push({ ...block, pieces });
    if (!whole) return { reasoning, blocks: kept, cut: true };
    left -= countBlock(block);
  }
  return { reasoning, blocks: kept, cut: false };
}

/**
 * The pieces that fit into this many tokens, the last piece cut between characters; the given array if all pieces fit.
 */
function upToTokens(pieces: readonly string[], tokens: number): readonly string[] {
  let bytes_left = tokens * BYTES_PER_TOKEN;
  for (const [index, piece] of pieces.entries()) {
    const bytes = Buffer.byteLength(piece);
    if (bytes > bytes_left) {
      const part = upToBytes(piece, bytes_left);
      return part === "" ? pieces.slice(0, index) : [...pieces.slice(0, index), part];
    }
    bytes_left -= bytes;
  }
  return pieces;
}

function upToBytes(text: string, bytes: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytes));
  return text.slice(0, read);
}

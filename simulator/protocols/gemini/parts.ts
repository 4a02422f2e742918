import type { Ask } from "../../ask.ts";
import type { Performance, ToolCall } from "../../performance.ts";
import { isObject } from "../read.ts";
import { readPath } from "./path.ts";

/** A part of an answer: whole, and in the pieces of a stream. */
interface WirePart {
  readonly whole: object;
  readonly pieces: readonly object[];
}

/**
 * The parts of a performance. Thoughts are included if requested; their signature is on the first
 * call, else on the last text, which in a stream is an empty one.
 */
export function partsOf(ask: Ask, { reasoning, blocks }: Performance): WirePart[] {
  const parts: WirePart[] = [];
  if (reasoning !== null && !reasoning.redacted && wantsThoughts(ask)) {
    parts.push(textPart(reasoning.pieces, { thought: true }, null));
  }
  const seal = reasoning?.seal ?? null;
  const signed = blocks.findIndex((block) => block.type === "tool_call");
  const bearer = signed === -1 ? blocks.length - 1 : signed;
  for (const [index, block] of blocks.entries()) {
    const signature = index === bearer ? seal : null;
    if (block.type === "tool_call") parts.push(callPart(block, callId(ask, index), signature));
    else parts.push(textPart(block.pieces, {}, signature));
  }
  return parts;
}

function wantsThoughts({ body }: Ask): boolean {
  const config = isObject(body.generationConfig) ? body.generationConfig.thinkingConfig : undefined;
  return isObject(config) && config.includeThoughts === true;
}

function textPart(pieces: readonly string[], kind: object, signature: string | null): WirePart {
  const sign = signature === null ? {} : { thoughtSignature: signature };
  const streamed: object[] = pieces.map((text) => ({ text, ...kind }));
  if (signature !== null) streamed.push({ text: "", ...sign });
  return { whole: { text: pieces.join(""), ...kind, ...sign }, pieces: streamed };
}

function callPart({ name, pieces }: ToolCall, id: string | null, signature: string | null): WirePart {
  const call = { ...(id === null ? {} : { id }), name, args: JSON.parse(pieces.join("")) as unknown };
  const part = { functionCall: call, ...(signature === null ? {} : { thoughtSignature: signature }) };
  return { whole: part, pieces: [part] };
}

/** The id of a call; null on Vertex AI, and with `@ids=0` (models before Gemini 3), which give calls no ids. */
function callId(ask: Ask, nth: number): string | null {
  const nameless = readPath(ask.path ?? "")?.vertex === true || ask.model.params.text("ids", "1") === "0";
  return nameless ? null : `fc_sim_${ask.serial}_${nth}`;
}

import type { SentBody, VendorFailure, WholeAnswer, WholeBody } from "../../core/answer/exchange.ts";
import { textOf } from "../../core/answer/sent-body.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import { isPlausibleCount, NO_USAGE, totalInput, type Usage } from "../../core/money/usage.ts";
import { failedAnswer, invalidAnswer } from "../shared/endings.ts";
import { parseJson } from "../shared/parse-json.ts";
import { plainAnswer } from "../shared/plain-relay.ts";
import { readErrorObject } from "../shared/vendor-error.ts";
import { cutVectors, type VectorForm, vectorIn } from "./vectors.ts";
import type { EmbeddingRequest } from "./wire-request.ts";

/** What an answer must have, and how it is shown. */
export interface Asked {
  readonly model_id: string;
  /** How many inputs were sent, each of which gets an embedding. */
  readonly inputs: number;
  readonly form: VectorForm;
}

/** A vendor's embeddings, in the order of the inputs. */
interface ReadVectors {
  readonly vectors: readonly string[];
  /** The count of the input, unchecked; undefined where the vendor gives none. */
  readonly told_tokens: unknown;
}

/** How a vendor's answer is read: the member that holds each vector, and the rest of the answer. */
export interface AnswerShape {
  readonly member: string;
  /** Finds the numbers of the vectors, in the inputs' order. Null where the answer is none. */
  order(answer: JsonRecord): readonly unknown[] | null;
  /** The count of the input, unchecked; undefined where the answer has none. */
  told(answer: JsonRecord): unknown;
}

export function askedOf(body: Pick<EmbeddingRequest, "encoding_format">, model_id: string, inputs: number): Asked {
  return { model_id, inputs, form: body.encoding_format ?? "float" };
}

/**
 * Reads a vendor's answer and writes the client's: vectors as they came, each in the place of its input. An answer with another number of
 * vectors than inputs is a failure, since a client could not tell which one is missing. Never throws.
 */
export function readEmbeddings(body: WholeBody, shape: AnswerShape, asked: Asked, told_tokens?: number): WholeAnswer {
  const read = tryRead(textOf(body), shape);
  if ("status" in read) return failedAnswer(read);
  const { vectors } = read;
  if (vectors.length !== asked.inputs) return failedAnswer(miscounted(vectors.length, asked.inputs));
  return embeddingsAnswer(told_tokens ?? read.told_tokens, (usage, cost) => write(vectors, asked, usage, cost));
}

/** An answer that has all its vectors. `told` is the vendor's count of the input, unchecked. */
export function embeddingsAnswer(
  told: unknown,
  write: (usage: Usage | null, cost: string | undefined) => SentBody,
): WholeAnswer {
  // A count of nothing for an input is no count: requests have at least a token (docs/rulings.md 145).
  const is_count = isPlausibleCount(told) && told > 0;
  const usage: Usage | null = is_count ? { ...NO_USAGE, input_tokens: told } : null;
  const rejected = is_count || told === undefined || told === 0 ? null : told;
  return plainAnswer(usage, rejected, (billed, cost) => write(billed ?? usage, cost));
}

function tryRead(text: string, shape: AnswerShape): ReadVectors | VendorFailure {
  try {
    const cut = cutVectors(text, shape.member);
    const answer = parseJson(cut?.rest ?? text);
    if (!isObject(answer)) return NO_EMBEDDINGS;
    const order = cut === null ? null : shape.order(answer);
    if (cut === null || order === null) return "error" in answer ? readErrorObject(answer) : NO_EMBEDDINGS;
    const vectors = order.map((number) => (typeof number === "number" ? cut.vectors[number] : undefined));
    return vectors.every((vector) => vector !== undefined)
      ? { vectors: vectors as string[], told_tokens: shape.told(answer) }
      : NO_EMBEDDINGS;
  } catch {
    return NO_EMBEDDINGS;
  }
}

const NO_EMBEDDINGS = invalidAnswer("The model service sent what is no list of embeddings.");

function miscounted(found: number, inputs: number): VendorFailure {
  return invalidAnswer(`The model service sent ${found} embeddings for ${inputs} inputs.`);
}

export const OPENING = '{"object":"list","data":[';

/** Returns the answer in parts: the vectors are large, and joining them would copy them. */
function write(vectors: readonly string[], { model_id, form }: Asked, usage: Usage | null, cost?: string): string[] {
  const parts: string[] = [];
  for (const [index, vector] of vectors.entries()) {
    const before = index === 0 ? OPENING : "},";
    parts.push(`${before}{"object":"embedding","index":${index},"embedding":`, vectorIn(form, vector));
  }
  parts.push("}", closing(model_id, usage, cost));
  return parts;
}

/** What stands behind the items of an answer. */
export function closing(model_id: string, usage: Usage | null, cost: string | undefined): string {
  const tokens = usage === null ? 0 : totalInput(usage);
  const shown = { prompt_tokens: tokens, total_tokens: tokens, ...(cost !== undefined && { cost }) };
  return `],"model":${JSON.stringify(model_id)},"usage":${JSON.stringify(shown)}}`;
}

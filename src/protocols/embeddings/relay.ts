import type { ClientRequest, Exchange, ProtocolAdapter, Target } from "../../core/answer/exchange.ts";
import { GatewayError } from "../../core/errors.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import { findMembers, type MemberChange, replacedParts } from "../shared/json-members.ts";
import { nameText } from "../shared/json-text.ts";
import { readRelayedError } from "../shared/relayed-error.ts";
import { type EmbeddingRequest, inputsOf } from "./wire-request.ts";
import { type AnswerShape, askedOf, readEmbeddings } from "./write-answer.ts";

/** Embeddings by a vendor of chat completions, at its `/embeddings`: the client's own body, but for what must change. */
export const relayEmbeddings: ProtocolAdapter = { prepare };

function prepare(request: ClientRequest, target: Target): Exchange {
  const body = request.body as EmbeddingRequest;
  const asked = askedOf(body, target.model.id, inputsOf(body).length);
  const { changes, ignored } = changesFor(request, target);
  const parts = changes.length === 0 ? [request.text] : replacedParts(request.text, changes, findMembers(request.text));
  return {
    path: "/embeddings",
    get body() {
      return parts.join("");
    },
    parts,
    headers: {},
    ignored,
    is_light: true,
    readWhole: (answer) => readEmbeddings(answer, SHAPE, asked),
    openStream: refuseStream,
    readError: readRelayedError,
  };
}

/** Embeddings are never streamed. */
export function refuseStream(): never {
  throw new Error("embeddings have no stream");
}

function changesFor({ body }: ClientRequest, { vendor, upstream_model, model }: Target) {
  const changes: MemberChange[] = [];
  const ignored: string[] = [];
  const leaveOut = (field: string): void => {
    if (!Object.hasOwn(body, field)) return;
    if (body[field] !== null) ignored.push(field);
    changes.push([field, null]);
  };
  if (body.model !== upstream_model) changes.push(["model", nameText(upstream_model)]);
  const unsupported = new Set(vendor.quirks.unsupported_fields);
  if (!vendor.forwards_safety_identifier) unsupported.add("user");
  for (const field of unsupported) {
    if (field === "model" || field === "input") continue;
    if (field === "dimensions" && (body.dimensions ?? null) !== null) throw noDimensions(model.id);
    // The gateway writes the vectors in the form that was asked for, whichever its vendor sends.
    if (field === "encoding_format" && Object.hasOwn(body, field)) changes.push([field, null]);
    else leaveOut(field);
  }
  return { changes, ignored };
}

/** Vectors of another length than was asked for are of no use to whoever asked. */
export function noDimensions(model: string): GatewayError {
  const message = `'dimensions' is given; the model ${model} takes none there. Leave it out.`;
  return new GatewayError("invalid_input", message, { param: "dimensions" });
}

const SHAPE: AnswerShape = {
  member: "embedding",
  read: ({ data, usage }) => {
    if (!Array.isArray(data)) return null;
    return {
      order: inOrder(data),
      told_tokens: isObject(usage) ? (usage.prompt_tokens ?? usage.total_tokens) : undefined,
    };
  },
};

/** The vectors by the index that the vendor gives each: some send them as they are ready. Without indices they are in the inputs' order. */
function inOrder(data: readonly unknown[]): readonly unknown[] {
  const items = data.filter((item): item is JsonRecord => isObject(item));
  if (items.length !== data.length) return [];
  const has_indices = items.every(({ index }) => Number.isInteger(index));
  if (!has_indices) return items.map(({ embedding }) => embedding);
  const by_index = new Map(items.map(({ index, embedding }) => [index, embedding]));
  return Array.from({ length: data.length }, (_, index) => by_index.get(index));
}

import type { ClientRequest, Exchange, ProtocolAdapter, Target } from "../../core/answer/exchange.ts";
import { GatewayError } from "../../core/errors.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import { refuseStream, untranslated } from "../shared/plain-relay.ts";
import { readVendorError } from "../shared/vendor-error.ts";
import { noDimensions, TRANSLATED, textsOnly } from "./relay.ts";
import type { EmbeddingRequest } from "./wire-request.ts";
import { type AnswerShape, askedOf, readEmbeddings } from "./write-answer.ts";

/** Embeddings by Bedrock's `InvokeModel`: Amazon's Titan, and Cohere's Embed. */
export const embeddingsToBedrock: ProtocolAdapter = { prepare };

function prepare(request: ClientRequest, target: Target): Exchange {
  const body = request.body as EmbeddingRequest;
  const { model, upstream_model } = target;
  const texts = textsOnly(body, model.id);
  const family = familyOf(target);
  const asked = askedOf(body, model.id, texts.length);
  return {
    path: `/model/${encodeURIComponent(upstream_model)}/invoke`,
    body: JSON.stringify(family.write(body, texts, target)),
    headers: {},
    ignored: untranslated(body, new Set([...TRANSLATED, ...family.members])),
    tokens_header: "x-amzn-bedrock-input-token-count",
    is_light: true,
    readWhole: (answer, told_tokens) => readEmbeddings(answer, family, asked, told_tokens),
    openStream: refuseStream,
    // A quota that is used up has status 400 there, and is no fault of the client's.
    readError: (status, text) => readVendorError(status === 400 && /service quota/i.test(text) ? 429 : status, text),
  };
}

/** The models of one maker: how they are asked, and what they answer. */
interface EmbeddingFamily extends AnswerShape {
  /** In the ids of its models, behind the region of an inference profile. */
  readonly name: string;
  /** Members beyond the public API's that it takes. */
  readonly members: readonly string[];
  write(body: EmbeddingRequest, texts: readonly string[], target: Target): JsonRecord;
}

const TITAN: EmbeddingFamily = {
  name: "amazon.titan-embed",
  members: [],
  member: "embedding",
  write: ({ dimensions }, [inputText = "", ...more], { model, upstream_model }) => {
    if (more.length > 0) throw oneText(model.id, more.length + 1);
    if (dimensions == null) return { inputText };
    if (upstream_model.includes("titan-embed-text-v1")) throw noDimensions(model.id);
    return { inputText, dimensions };
  },
  order: ({ embedding }) => [embedding],
  told: ({ inputTextTokenCount }) => inputTextTokenCount,
};

const COHERE: EmbeddingFamily = {
  name: "cohere.embed",
  members: ["input_type", "truncate"],
  // With one type asked for, its vectors stand under the type's name: `{"embeddings": {"float": [[…], …]}}`.
  member: "float",
  write: (body, texts, { model, upstream_model }) => {
    const { dimensions, input_type, truncate }: EmbeddingRequest & JsonRecord = body;
    if (dimensions != null && upstream_model.includes("-v3")) throw noDimensions(model.id);
    return {
      texts,
      // The public API has no word for what the texts are for, and Cohere's has no default.
      input_type: typeof input_type === "string" ? input_type : "search_document",
      embedding_types: ["float"],
      ...(typeof truncate === "string" && { truncate }),
      ...(dimensions != null && { output_dimension: dimensions }),
    };
  },
  order: ({ embeddings }) => (isObject(embeddings) && Array.isArray(embeddings.float) ? embeddings.float : null),
  told: () => undefined,
};

function familyOf({ model, upstream_model }: Target): EmbeddingFamily {
  if (upstream_model.includes(TITAN.name)) return TITAN;
  if (upstream_model.includes(COHERE.name)) return COHERE;
  throw noFamily(model.id);
}

function oneText(model: string, found: number): GatewayError {
  const message = `'input' has ${found} texts; the model ${model} embeds one to a request.`;
  return new GatewayError("invalid_input", message, { param: "input" });
}

function noFamily(model: string): GatewayError {
  const message = `The model ${model} is none that Bedrock's embeddings are known of: Titan and Cohere are.`;
  return new GatewayError("model_not_supported_on_endpoint", message, { param: "model" });
}

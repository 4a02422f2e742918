import { type Ask, BadRequest } from "../../ask.ts";
import { onlyFields } from "../../decisions/read-strict.ts";
import { USUAL_DIMENSIONS, vectorOf } from "../../embeddings/embedding.ts";
import type { ModelName } from "../../model-name.ts";
import type { Performance } from "../../performance.ts";
import { embeddingAsk } from "../../plain-ask.ts";
import { bedrockConverse } from "../bedrock-converse/index.ts";
import type { VendorProtocol } from "../protocol.ts";
import type { Json } from "../read.ts";

const PATH = /\/model\/([^/]+)\/invoke$/;
/** The makers' ids, behind which the simulated model's stands: `amazon.titan-embed-text-v2:0.embed`. */
const MAKER = /^(?:[a-z]+\.)?(amazon\.titan-embed-text-v\d(?::\d)?|cohere\.embed-[a-z]*-?v\d(?::\d)?)\.(.+)$/;

interface InvokePath {
  readonly maker: string;
  readonly model: string;
}

function readPath(path: string): InvokePath | null {
  const [, encoded] = PATH.exec(path) ?? [];
  const [, maker, model] = encoded === undefined ? [] : (MAKER.exec(decodeURIComponent(encoded)) ?? []);
  return maker === undefined || model === undefined ? null : { maker, model };
}

/** Bedrock's `InvokeModel` for embeddings: Amazon's Titan, which takes a text at a time, and Cohere's Embed. */
export const bedrockEmbeddings: VendorProtocol = {
  ...bedrockConverse,
  accepts: (path) => readPath(path) !== null,
  modelOf: (_body, path) => readPath(path)?.model,
  wantsStream: () => false,
  rulesOf: () => [],
  readAsk,
  whole,
  frames: () => [],
  answerHeaders: (_ask, { usage }) => ({ "x-amzn-bedrock-input-token-count": String(usage.input) }),
};

function readAsk(model: ModelName, body: Json, _headers: Headers, path: string): Ask {
  const is_titan = readPath(path)?.maker.startsWith("amazon.") === true;
  const ask = is_titan ? readTitan(model, body, path) : readCohere(model, body);
  return { ...ask, path };
}

function readTitan(model: ModelName, body: Json, path: string): Ask {
  const fields = path.includes("text-v1") ? ["inputText"] : ["inputText", "dimensions", "normalize", "embeddingTypes"];
  onlyFields(body, fields, "");
  const { inputText, dimensions = USUAL_DIMENSIONS } = body;
  if (typeof inputText !== "string" || inputText === "")
    throw new BadRequest(
      "Malformed input request: expected minLength: 1, actual: 0, please reformat your input and try again.",
    );
  return embeddingAsk(model, body, { inputs: [inputText], dimensions: Number(dimensions), base64: false });
}

const PURPOSES = ["search_document", "search_query", "classification", "clustering"];
const MOST_TEXTS = 96;

function readCohere(model: ModelName, body: Json): Ask {
  onlyFields(body, ["texts", "input_type", "truncate", "embedding_types", "output_dimension"], "");
  const { texts, input_type, output_dimension = USUAL_DIMENSIONS } = body;
  if (
    !Array.isArray(texts) ||
    texts.length === 0 ||
    texts.length > MOST_TEXTS ||
    !texts.every((text) => typeof text === "string")
  )
    throw new BadRequest(
      `Malformed input request: #/texts: expected 1 to ${MOST_TEXTS} strings, please reformat your input and try again.`,
    );
  if (typeof input_type !== "string" || !PURPOSES.includes(input_type))
    throw new BadRequest("Malformed input request: #/input_type: required, please reformat your input and try again.");
  return embeddingAsk(model, body, { inputs: texts as string[], dimensions: Number(output_dimension), base64: false });
}

function whole({ embedding, path = "", serial }: Ask, { usage }: Performance): object {
  const vectors = embedding?.inputs.map((input) => vectorOf(input, embedding.dimensions)) ?? [];
  if (readPath(path)?.maker.startsWith("amazon.") === true)
    return { embedding: vectors[0], embeddingsByType: { float: vectors[0] }, inputTextTokenCount: usage.input };
  return { id: serial, response_type: "embeddings_by_type", embeddings: { float: vectors }, texts: embedding?.inputs };
}

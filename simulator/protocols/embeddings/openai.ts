import { type Ask, BadRequest } from "../../ask.ts";
import { onlyFields, shown } from "../../decisions/read-strict.ts";
import { type AskedEmbedding, USUAL_DIMENSIONS, vectorOf } from "../../embeddings/embedding.ts";
import type { ModelName } from "../../model-name.ts";
import { type Performance, reportUsage } from "../../performance.ts";
import { embeddingAsk } from "../../plain-ask.ts";
import { UNSTREAMED } from "../openai-shape.ts";
import type { VendorProtocol } from "../protocol.ts";
import type { Json } from "../read.ts";

/** OpenAI's embeddings, as strict as its API. */
export const embeddings: VendorProtocol = {
  ...UNSTREAMED,
  protocol: "embeddings",
  accepts: (path) => path.endsWith("/embeddings"),
  readAsk,
  whole,
};

const FIELDS = ["model", "input", "dimensions", "encoding_format", "user"];
const MOST_INPUTS = 2048;
const MOST_TOKENS = 8192;

function readAsk(model: ModelName, body: Json): Ask {
  // Other vendors take fields of their own here: `embed@fields=any`.
  if (model.params.text("fields", "") !== "any") onlyFields(body, FIELDS, "");
  const { encoding_format = "float", dimensions = USUAL_DIMENSIONS } = body;
  const forms = model.params.text("base64", "1") === "1" ? ["float", "base64"] : ["float"];
  if (!forms.includes(String(encoding_format)))
    throw new BadRequest(
      `Invalid value: ${shown(encoding_format)}. Supported values are: ${forms.join(", ")}.`,
      "encoding_format",
    );
  if (!Number.isInteger(dimensions) || Number(dimensions) < 1)
    throw new BadRequest(
      `Invalid type for 'dimensions': expected an integer, but got ${shown(dimensions)} instead.`,
      "dimensions",
    );
  const inputs = readInputs(body.input);
  return embeddingAsk(model, body, { inputs, dimensions: Number(dimensions), base64: encoding_format === "base64" });
}

function readInputs(input: unknown): AskedEmbedding["inputs"] {
  if (typeof input === "string") return [readInput(input)];
  if (!Array.isArray(input) || input.length === 0) throw invalidInput();
  if (input.every((each) => typeof each === "number")) return [readInput(input)];
  if (input.length > MOST_INPUTS)
    throw new BadRequest(
      `Invalid 'input': array too long. Expected an array with maximum length ${MOST_INPUTS}, but got an array with length ${input.length} instead.`,
      "input",
    );
  const types = new Set(input.map((each: unknown) => typeof each));
  if (types.size !== 1) throw invalidInput();
  return input.map(readInput);
}

function readInput(input: unknown): string | readonly number[] {
  if (typeof input === "string" && input !== "") return input;
  if (!Array.isArray(input) || input.length === 0 || !input.every((token) => Number.isInteger(token)))
    throw invalidInput();
  if (input.length > MOST_TOKENS)
    throw new BadRequest(
      `This model's maximum context length is ${MOST_TOKENS} tokens, however you requested ${input.length} tokens.`,
    );
  return input as number[];
}

function invalidInput(): BadRequest {
  return new BadRequest(
    "'$.input' is invalid. Please check the API reference: https://platform.openai.com/docs/api-reference.",
    "input",
  );
}

/** `@order=reversed`, `@short=1` and `@floats=1` are what some servers of this shape do: vectors as they are ready, one missing, and always numbers. */
function whole({ model, embedding }: Ask, { usage, usage_reporting }: Performance): object {
  const { inputs, dimensions, base64 } = embedding ?? { inputs: [], dimensions: 0, base64: false };
  const { params } = model;
  const as_base64 = base64 && params.text("floats", "") !== "1";
  const data = inputs.map((input, index) => {
    const vector = vectorOf(input, dimensions);
    return { object: "embedding", index, embedding: as_base64 ? base64Of(vector) : vector };
  });
  if (params.text("order", "") === "reversed") data.reverse();
  if (params.text("short", "") === "1") data.pop();
  if (params.text("empty", "") === "1") data.length = 0;
  const counts = reportUsage({ prompt_tokens: usage.input, total_tokens: usage.input }, usage_reporting);
  return { object: "list", data, model: model.full, ...(!usage_reporting.omitted && { usage: counts }) };
}

function base64Of(vector: readonly number[]): string {
  return Buffer.from(Float32Array.from(vector).buffer).toString("base64");
}

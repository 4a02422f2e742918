import { type Ask, BadRequest } from "../../ask.ts";
import { USUAL_DIMENSIONS, vectorOf } from "../../embeddings/embedding.ts";
import type { ModelName } from "../../model-name.ts";
import { type Performance, reportUsage } from "../../performance.ts";
import { embeddingAsk } from "../../plain-ask.ts";
import { gemini } from "../gemini/index.ts";
import type { VendorProtocol } from "../protocol.ts";
import { isObject, type Json, objectsOf, requireObjects, textOf } from "../read.ts";

const PATH = /\/models\/([^/:]+):batchEmbedContents$/;
const MOST_REQUESTS = 100;

/** Gemini's `batchEmbedContents`, of the Gemini API and of Vertex AI. */
export const geminiEmbeddings: VendorProtocol = {
  ...gemini,
  accepts: (path) => PATH.test(path),
  modelOf: (_body, path) => {
    const [, name] = PATH.exec(path) ?? [];
    return name === undefined ? undefined : decodeURIComponent(name);
  },
  wantsStream: () => false,
  rulesOf: () => [],
  readAsk,
  whole,
  frames: () => [],
};

function readAsk(model: ModelName, body: Json): Ask {
  const requests = requireObjects(body, "requests");
  if (requests.length > MOST_REQUESTS)
    throw new BadRequest(
      `* BatchEmbedContentsRequest.requests: at most ${MOST_REQUESTS} requests can be in one batch\n`,
    );
  const dimensions = new Set<number>();
  const inputs = requests.map((request, index) => {
    if (request.model !== `models/${model.full}`)
      throw new BadRequest(`* BatchEmbedContentsRequest.requests[${index}].model: unexpected model name format\n`);
    for (const name of Object.keys(request)) if (!KNOWN.has(name)) throw unknown(name, index);
    const { content, outputDimensionality = USUAL_DIMENSIONS } = request;
    dimensions.add(Number(outputDimensionality));
    const text = isObject(content)
      ? objectsOf(content.parts)
          .map((part) => textOf(part.text))
          .join("")
      : "";
    if (text === "")
      throw new BadRequest(`* BatchEmbedContentsRequest.requests[${index}].content: contents is not specified\n`);
    return text;
  });
  const [first = USUAL_DIMENSIONS] = dimensions;
  return embeddingAsk(model, body, { inputs, dimensions: first, base64: false });
}

const KNOWN: ReadonlySet<string> = new Set(["model", "content", "taskType", "title", "outputDimensionality"]);

function unknown(name: string, index: number): BadRequest {
  return new BadRequest(
    `Invalid JSON payload received. Unknown name "${name}" at 'requests[${index}]': Cannot find field.`,
  );
}

function whole({ embedding }: Ask, { usage, usage_reporting }: Performance): object {
  const embeddings = embedding?.inputs.map((input) => ({ values: vectorOf(input, embedding.dimensions) }));
  const counted = reportUsage({ promptTokenCount: usage.input }, usage_reporting);
  return { embeddings, ...(!usage_reporting.omitted && { usageMetadata: counted }) };
}

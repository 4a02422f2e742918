import Type from "typebox";
import { GeminiTokenCount, GenerateContentAnswer } from "../../../protocols/gemini/wire-answer.ts";
import { GenerateContentRequest } from "../../../protocols/gemini/wire-request.ts";
import gemini from "../examples/gemini.json" with { type: "json" };
import geminiStream from "../examples/gemini-stream.txt" with { type: "text" };
import { StyleCError } from "../schemas/errors.ts";
import { GeminiModelList, GeminiModelObject } from "../schemas/models.ts";
import { COUNT_TOKENS_CODES, GEMINI_CODES, GEMINI_MODEL_LIST_CODES, MODEL_CODES } from "./codes.ts";
import { jsonContent, type OperationRow, RATED, streamContent } from "./operation.ts";
import { BILLED_PARAMETERS, parameters } from "./parameters.ts";
import { pathSnippets, snippets } from "./snippets.ts";

const BILLED = {
  tag: "Generation",
  credential: "google",
  parameters: [...parameters("ModelId"), ...BILLED_PARAMETERS],
  headers: ["CaminoRequestId", "CaminoIgnored", "CaminoCapped", "CaminoCache", "IdempotentReplayed", "RateLimit"],
  request: { schema: GenerateContentRequest, examples: gemini.requests },
  errors: GEMINI_CODES,
} as const;

const READING = { tag: "Models", credential: "any", headers: RATED } as const;

const PIECE = Type.Union([GenerateContentAnswer, StyleCError]);

/** The operations of Gemini's style (docs/api.md 4.14). */
export const GEMINI_OPERATIONS: readonly OperationRow[] = [
  {
    ...BILLED,
    route: "generateContent",
    operation_id: "generateContent",
    summary: "Generate content",
    description:
      "Answers a conversation in the shape of Gemini's API. Served below `/v1` too. Unknown fields are passed on to vendors " +
      "that speak this protocol.",
    answer: "The answer.",
    contents: [jsonContent(GenerateContentAnswer, gemini.answer)],
    samples: snippets("gemini"),
  },
  {
    ...BILLED,
    route: "streamGenerateContent",
    operation_id: "streamGenerateContent",
    summary: "Generate content as a stream",
    description:
      "The same answer in pieces: each is an object of the shape of the whole answer, and the last has the reason of the end and the " +
      "usage. Served below `/v1` too.",
    parameters: [...BILLED.parameters, ...parameters("StreamForm")],
    answer: "The pieces: a JSON array, or with `alt=sse` events of one line each.",
    contents: [
      // A failure after content is the last piece (docs/api.md 6.4).
      jsonContent(Type.Array(PIECE), [gemini.answer]),
      streamContent(PIECE, geminiStream),
    ],
    samples: snippets("gemini-stream"),
  },
  {
    tag: "Generation",
    credential: "google",
    route: "countTokens",
    operation_id: "countTokens",
    summary: "Count tokens",
    description:
      "Counts the input of a request in Gemini's shape, or of one under `generateContentRequest`: by the vendor where it can, else by our " +
      "estimate. Never charged. Served below `/v1` too.",
    parameters: parameters("ModelId", "ClientRequestId"),
    request: { schema: GenerateContentRequest, examples: gemini.requests },
    answer: "The count; `estimated: true` beside it when it is our estimate.",
    headers: RATED,
    contents: [jsonContent(GeminiTokenCount, gemini.count)],
    errors: COUNT_TOKENS_CODES,
    samples: snippets("gemini-count"),
  },
  {
    ...READING,
    route: "gemini.models.list",
    operation_id: "listGeminiModels",
    summary: "List models in Gemini's shape",
    description:
      "What `GET /v1/models` lists, in the shape of Gemini's API, which it also has for a key in `x-goog-api-key`.",
    parameters: parameters("PageSize", "PageToken"),
    answer: "A page of the models.",
    contents: [jsonContent(GeminiModelList, { models: [gemini.model] })],
    errors: GEMINI_MODEL_LIST_CODES,
    samples: pathSnippets("get", "/v1beta/models"),
  },
  {
    ...READING,
    route: "gemini.models.retrieve",
    operation_id: "getGeminiModel",
    summary: "Retrieve a model in Gemini's shape",
    description: "One model by its id or by an alias of the key.",
    parameters: parameters("ModelId"),
    answer: "The model.",
    contents: [jsonContent(GeminiModelObject, gemini.model)],
    errors: MODEL_CODES,
    samples: pathSnippets("get", "/v1beta/models/{{model_a}}"),
  },
];

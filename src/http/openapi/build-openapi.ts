import type { JsonObject } from "../../core/json.ts";
import { ROUTES } from "../paths/routes.ts";
import { namedSchemas } from "./named-schemas.ts";
import { administrationPaths } from "./operations/administration.ts";
import { GEMINI_OPERATIONS } from "./operations/gemini.ts";
import { DECISION_OPERATIONS, GENERATION_OPERATIONS } from "./operations/generation.ts";
import { MODEL_OPERATIONS } from "./operations/models.ts";
import { filledRow, type SampleSettings } from "./operations/operation.ts";
import { HEADERS, PARAMETERS } from "./operations/parameters.ts";
import {
  ACCOUNT_OPERATIONS,
  CATALOGUE_OPERATIONS,
  SERVICE_OPERATIONS,
  STORED_RESPONSE_OPERATIONS,
} from "./operations/reading.ts";
import type { Components } from "./schemas/components.ts";
import { writeOperation } from "./write-operation.ts";

export interface OpenApiOptions extends Partial<SampleSettings> {
  /** The gateway's version. */
  readonly version: string;
}

/** The models in the samples, where they are in the catalogue. */
export const SAMPLE_MODELS = {
  model_a: "openai/gpt-5.4-mini",
  model_b: "anthropic/claude-sonnet-4-6",
  model_e: "openai/text-embedding-3-small",
  model_s: "openai/gpt-4o-mini-tts",
  model_i: "openai/gpt-image-2",
  model_c: "sim/echo",
  model_r: "cohere/rerank-v3.5",
  model_t: "openai/gpt-4o-mini-transcribe",
  model_m: "sim/moderator",
  model_d: "sim/decider",
} as const;

const DEFAULTS: SampleSettings = { base_url: "http://127.0.0.1:8787", ...SAMPLE_MODELS };

const DESCRIPTION = `One API key for many hosted language models, in the shapes that OpenAI's, Anthropic's and Google's SDKs speak.
Money is counted in micro units: 1,000,000 are one unit of the currency. Answers may carry more fields than are named
here; clients ignore those that they do not know.

Every path answers an unknown method with 405 \`method_not_allowed\`, headers that are too large with 431
\`headers_too_large\`, and an unknown path is a 404 \`not_found\`. An \`x-should-retry: false\` marks errors that a retry
cannot mend, a \`retry-after\` those that it may.`;

const TAGS: readonly JsonObject[] = [
  { name: "Generation", description: "Text from models, whole or streamed, billed by tokens." },
  { name: "Embeddings", description: "Vectors of texts, billed by input tokens." },
  { name: "Rerank", description: "Documents in the order of their relevance, billed by searches or input tokens." },
  { name: "Audio", description: "Speech and transcriptions, billed by characters, minutes or tokens." },
  { name: "Images", description: "Images, billed by tokens or by the image." },
  { name: "Moderations", description: "Judgments of texts and images." },
  {
    name: "Decisions",
    description: "Typed questions about one input, answered with probabilities, billed by input tokens.",
  },
  { name: "Models", description: "The catalog." },
  { name: "Account", description: "What was used, what is left, what one request cost." },
  {
    name: "Administration",
    description:
      "Accounts, members, keys, credits and usage, for programs with a management key. Lists with `limit` come in pages.",
  },
  { name: "Service", description: "For operators. No key is needed." },
];

const ROWS = [
  ...GENERATION_OPERATIONS,
  ...GEMINI_OPERATIONS,
  ...STORED_RESPONSE_OPERATIONS,
  ...MODEL_OPERATIONS,
  ...DECISION_OPERATIONS,
  ...CATALOGUE_OPERATIONS,
  ...ACCOUNT_OPERATIONS,
  ...SERVICE_OPERATIONS,
];

/** The public API as an OpenAPI 3.1 document, with snippets and examples for this gateway. */
export function buildOpenApi(options: OpenApiOptions): JsonObject {
  const settings: SampleSettings = { ...DEFAULTS, ...options };
  const components = namedSchemas();
  return {
    openapi: "3.1.0",
    info: {
      title: "Camino",
      version: options.version,
      description: DESCRIPTION,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: settings.base_url }],
    tags: [...TAGS],
    paths: { ...pathsOf(settings, components), ...administrationPaths(settings.base_url, components) },
    components: {
      schemas: components.written(),
      parameters: { ...PARAMETERS },
      headers: { ...HEADERS },
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: "`authorization: Bearer cm-…`" },
        management: {
          type: "http",
          scheme: "bearer",
          description: "`authorization: Bearer cmm-…`, a management key with the scope, or the admin token",
        },
        googleKey: { type: "apiKey", in: "header", name: "x-goog-api-key", description: "`x-goog-api-key: cm-…`" },
        apiKey: { type: "apiKey", in: "header", name: "x-api-key", description: "`x-api-key: cm-…`" },
      },
    },
  };
}

function pathsOf(settings: SampleSettings, components: Components): JsonObject {
  const paths: JsonObject = {};
  for (const row of ROWS) {
    const route = ROUTES.find(({ name }) => name === row.route);
    if (route === undefined) continue;
    const operation = writeOperation(filledRow(row, settings), route, components);
    paths[route.path] = { ...(paths[route.path] as JsonObject | undefined), [route.method.toLowerCase()]: operation };
  }
  return paths;
}

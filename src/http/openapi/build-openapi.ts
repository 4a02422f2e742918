import type { JsonObject } from "../../core/json.ts";
import { Completion, CompletionRequest } from "../../protocols/chat-completions/completions-request.ts";
import { ChatCompletion, ChatCompletionChunk, ChatUsage } from "../../protocols/chat-completions/wire-answer.ts";
import { ChatMessage } from "../../protocols/chat-completions/wire-messages.ts";
import { ChatCompletionRequest } from "../../protocols/chat-completions/wire-request.ts";
import { EmbeddingList, EmbeddingRequest } from "../../protocols/embeddings/wire-request.ts";
import * as gemini from "../../protocols/gemini/wire-answer.ts";
import { GenerateContentRequest } from "../../protocols/gemini/wire-request.ts";
import { ImageEditRequest, ImageEvent, ImageList, ImageRequest } from "../../protocols/images/wire-request.ts";
import * as messages from "../../protocols/messages/wire-answer.ts";
import { CountTokensRequest, Message, MessagesRequest } from "../../protocols/messages/wire-request.ts";
import { ModerationRequest, ModerationResult } from "../../protocols/moderations/wire-request.ts";
import { RerankRequest, RerankResult } from "../../protocols/rerank/wire-request.ts";
import {
  CompactedResponse,
  InputTokenCount,
  OutputItem,
  ResponseObject,
  ResponseStreamEvent,
  ResponseUsage,
} from "../../protocols/responses/wire-answer.ts";
import { ResponsesRequest } from "../../protocols/responses/wire-request.ts";
import { SpeechEvent, SpeechRequest } from "../../protocols/speech/wire-request.ts";
import {
  TranscriptEvent,
  Transcription,
  TranscriptionRequest,
  TranslationRequest,
} from "../../protocols/transcription/wire-request.ts";
import { ROUTES } from "../paths/routes.ts";
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
import * as account from "./schemas/account.ts";
import { Components, type NamedSchema } from "./schemas/components.ts";
import * as decisions from "./schemas/decisions.ts";
import * as documented from "./schemas/documented-requests.ts";
import { EitherStyleError, StyleAError, StyleBError, StyleCError } from "./schemas/errors.ts";
import * as models from "./schemas/models.ts";
import {
  CHAT_MEMBERS,
  COMPLETION_MEMBERS,
  EMBEDDING_MEMBERS,
  GEMINI_MEMBERS,
  IMAGE_MEMBERS,
  MESSAGES_MEMBERS,
  type MemberDescriptions,
  MODERATION_MEMBERS,
  RERANK_MEMBERS,
  RESPONSES_MEMBERS,
  SPEECH_MEMBERS,
  TRANSCRIPTION_MEMBERS,
} from "./schemas/request-members.ts";
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

function namedSchemas(): Components {
  const { DocumentedResponsesRequest, DocumentedMessagesRequest, DocumentedCountRequest } = documented;
  const { DecisionsRequest, DecisionMessage, DecisionQuestion, Decision, DecisionAnswer, DecisionUsage } = decisions;
  const { SystemOneRequest, SystemOneQuestion, SystemOneDecision, SystemOneAnswer } = decisions;
  return new Components([
    ...named({ ChatCompletionRequest }, CHAT_MEMBERS),
    ...named({ ChatMessage, ChatCompletion, ChatCompletionChunk, ChatUsage }),
    ...written({ ResponsesRequest }, DocumentedResponsesRequest, RESPONSES_MEMBERS),
    ...named({ InputItem: documented.InputItem, ResponseObject, CompactedResponse, InputTokenCount, OutputItem }),
    ...named({ ResponseUsage, ResponseStreamEvent }),
    ...written({ MessagesRequest }, DocumentedMessagesRequest, MESSAGES_MEMBERS),
    ...written({ CountTokensRequest }, DocumentedCountRequest, MESSAGES_MEMBERS),
    ...written({ MessageParam: Message }, documented.DocumentedMessage),
    ...named({ Message: messages.MessageObject, MessageStreamEvent: messages.MessageStreamEvent }),
    ...named({ ContentBlock: messages.ContentBlock, MessageUsage: messages.MessageUsage }),
    ...named({ TokenCount: messages.TokenCount }),
    ...named({ EmbeddingRequest }, EMBEDDING_MEMBERS),
    ...named({ EmbeddingList }),
    ...written({ GenerateContentRequest }, documented.DocumentedGenerateContent, GEMINI_MEMBERS),
    ...named({ GenerateContentAnswer: gemini.GenerateContentAnswer, Candidate: gemini.Candidate }),
    ...named({ GeminiTokenCount: gemini.GeminiTokenCount, GeminiModel: models.GeminiModelObject }),
    ...named({ GeminiModelList: models.GeminiModelList }),
    ...named({ SpeechRequest }, SPEECH_MEMBERS),
    ...named({ SpeechEvent }),
    ...named({ TranscriptionRequest, TranslationRequest }, TRANSCRIPTION_MEMBERS),
    ...named({ Transcription, TranscriptEvent }),
    ...named({ ImageRequest, ImageEditRequest }, IMAGE_MEMBERS),
    ...named({ ImageList, ImageEvent }),
    ...named({ CompletionRequest }, COMPLETION_MEMBERS),
    ...named({ Completion }),
    ...named({ RerankRequest }, RERANK_MEMBERS),
    ...named({ RerankResult }),
    ...named({ ModerationRequest }, MODERATION_MEMBERS),
    ...named({ ModerationResult }),
    ...named({ DecisionsRequest, DecisionMessage, DecisionQuestion, Decision, DecisionAnswer, DecisionUsage }),
    ...named({ SystemOneRequest, SystemOneQuestion, SystemOneDecision, SystemOneAnswer }),
    ...named({ Model: models.ModelObject, ModelList: models.ModelList, Capabilities: models.Capabilities }),
    ...named({ Usage: account.UsageObject, UsageWindow: account.UsageWindow, Credits: account.CreditsObject }),
    ...named({ Key: account.KeyObject, Generation: account.GenerationObject, Request: account.RequestObject }),
    ...named({ RefusedRequest: account.RefusedRequestObject, RequestPrice: account.ReceiptPrice }),
    ...named({ RequestUsage: account.ReceiptUsage, RequestAttempt: account.ReceiptAttempt }),
    ...named({ StyleAError, StyleBError, StyleCError, Error: EitherStyleError }),
  ]);
}

type Schemas = Readonly<Record<string, object>>;

function named(schemas: Schemas, descriptions?: MemberDescriptions): NamedSchema[] {
  return Object.entries(schemas).map(([name, schema]) => ({ name, schema, ...(descriptions && { descriptions }) }));
}

/** A schema that the document shows as another. */
function written(schema: Schemas, shown: object, descriptions?: MemberDescriptions): NamedSchema[] {
  return named(schema, descriptions).map((each) => ({ ...each, written: shown }));
}

import { Completion, CompletionRequest } from "../../../protocols/chat-completions/completions-request.ts";
import { EmbeddingList, EmbeddingRequest } from "../../../protocols/embeddings/wire-request.ts";
import { ImageEditRequest, ImageEvent, ImageList, ImageRequest } from "../../../protocols/images/wire-request.ts";
import { ModerationRequest, ModerationResult } from "../../../protocols/moderations/wire-request.ts";
import { RerankRequest, RerankResult } from "../../../protocols/rerank/wire-request.ts";
import { SOUND_TYPES } from "../../../protocols/speech/sound-formats.ts";
import { SpeechEvent, SpeechRequest } from "../../../protocols/speech/wire-request.ts";
import {
  TranscriptEvent,
  Transcription,
  TranscriptionRequest,
  TranslationRequest,
} from "../../../protocols/transcription/wire-request.ts";
import completions from "../examples/completions.json" with { type: "json" };
import embeddings from "../examples/embeddings.json" with { type: "json" };
import imageEdits from "../examples/image-edits.json" with { type: "json" };
import images from "../examples/images.json" with { type: "json" };
import moderations from "../examples/moderations.json" with { type: "json" };
import rerank from "../examples/rerank.json" with { type: "json" };
import speech from "../examples/speech.json" with { type: "json" };
import transcriptions from "../examples/transcriptions.json" with { type: "json" };
import { EMBEDDING_CODES } from "./codes.ts";
import { jsonContent, type OperationRow, streamContent } from "./operation.ts";
import { BILLED_PARAMETERS } from "./parameters.ts";
import { snippets } from "./snippets.ts";

const SOUND = { type: "string", format: "binary" };
const TEXT = { type: "string" };

/** What these endpoints have in common. */
const BILLED = {
  credential: "bearer",
  parameters: BILLED_PARAMETERS,
  headers: ["CaminoRequestId", "CaminoIgnored", "IdempotentReplayed", "RateLimit"],
  errors: EMBEDDING_CODES,
} as const;
/** Those whose answers can be stored. */
const CACHED = {
  ...BILLED,
  headers: ["CaminoRequestId", "CaminoIgnored", "CaminoCache", "IdempotentReplayed", "RateLimit"],
} as const;

/** The operations of models that do not chat (docs/api.md 4.12, 4.15 to 4.20). */
export const MODEL_OPERATIONS: readonly OperationRow[] = [
  {
    ...CACHED,
    tag: "Embeddings",
    route: "embeddings",
    operation_id: "createEmbeddings",
    summary: "Embeddings",
    description:
      "Turns texts into vectors, in the shape of OpenAI's embeddings. Billed by input tokens; answered whole or not at all.",
    request: { schema: EmbeddingRequest, examples: embeddings.requests },
    answer: "A vector for each input, in the inputs' order.",
    contents: [jsonContent(EmbeddingList, embeddings.answer)],
    samples: snippets("embeddings"),
  },
  {
    ...CACHED,
    tag: "Audio",
    route: "audio.speech",
    operation_id: "createSpeech",
    summary: "Speech",
    description:
      "Speaks a text, in the shape of OpenAI's speech. The sound is sent as it is made. Billed by characters or by tokens, as the model's price says.",
    request: { schema: SpeechRequest, examples: speech.requests },
    answer: "The sound, or a stream of events with it where `stream_format` is `sse`.",
    contents: [
      ...Object.values(SOUND_TYPES).map((type) => ({ type, schema: SOUND })),
      streamContent(SpeechEvent, speech.events),
    ],
    samples: snippets("speech"),
  },
  {
    ...BILLED,
    tag: "Audio",
    route: "audio.transcriptions",
    operation_id: "createTranscription",
    summary: "Transcriptions",
    description:
      "Writes down what is spoken in a file, in the shape of OpenAI's transcriptions. Billed by minutes or by tokens, as the model's price says.",
    request: { schema: TranscriptionRequest, examples: transcriptions.requests, is_form: true },
    answer: "The text, as `response_format` says, or a stream of events with it where `stream` is true.",
    contents: [
      jsonContent(Transcription, transcriptions.answer),
      { type: "text/plain", schema: TEXT },
      streamContent(TranscriptEvent, transcriptions.events),
    ],
    samples: snippets("transcriptions"),
  },
  {
    ...BILLED,
    tag: "Audio",
    route: "audio.translations",
    operation_id: "createTranslation",
    summary: "Translations",
    description:
      "Writes down in English what is spoken in a file, in the shape of OpenAI's translations. Billed like transcriptions.",
    request: { schema: TranslationRequest, examples: transcriptions.requests, is_form: true },
    answer: "The text, as `response_format` says.",
    contents: [jsonContent(Transcription, transcriptions.answer), { type: "text/plain", schema: TEXT }],
    samples: snippets("translations"),
  },
  {
    ...CACHED,
    tag: "Images",
    route: "images.generations",
    operation_id: "createImage",
    summary: "Images",
    description:
      "Draws what a text says, in the shape of OpenAI's images, whole or as a stream with images on their way. Billed by tokens or by the image, as the model's price says.",
    request: { schema: ImageRequest, examples: images.requests },
    answer: "The images, or a stream of events with them where `stream` is true.",
    contents: [jsonContent(ImageList, images.answer), streamContent(ImageEvent, images.events)],
    samples: snippets("images"),
  },
  {
    ...BILLED,
    tag: "Generation",
    route: "completions",
    operation_id: "createCompletion",
    summary: "Completions",
    description:
      "Goes on from a text, in the shape of OpenAI's completions, with `suffix` and `echo`, by chat models whose row says that they do. Billed by tokens.",
    request: { schema: CompletionRequest, examples: completions.requests },
    answer: "The texts, or a stream of chunks with pieces of them where `stream` is true.",
    contents: [jsonContent(Completion, completions.answer), streamContent(Completion, completions.events)],
    samples: snippets("completions"),
  },
  {
    ...BILLED,
    tag: "Rerank",
    route: "rerank",
    operation_id: "createRanking",
    summary: "Rerank",
    description:
      "Puts documents in the order of their relevance to a query, in the shape of Cohere's rerank, at `/v2/rerank` as well. Billed by searches or by input tokens, as the model's price says.",
    request: { schema: RerankRequest, examples: rerank.requests },
    answer: "The places of the documents with their scores, the most relevant first.",
    contents: [jsonContent(RerankResult, rerank.answer)],
    samples: snippets("rerank"),
  },
  {
    ...BILLED,
    tag: "Images",
    route: "images.edits",
    operation_id: "createImageEdit",
    summary: "Edits of images",
    description:
      "Changes images as a text says, in the shape of OpenAI's edits: in JSON, or as multipart/form-data with the files as `image` or `image[]`. Billed like images.",
    request: { schema: ImageEditRequest, examples: imageEdits.requests },
    answer: "The images, or a stream of events with them where `stream` is true.",
    contents: [jsonContent(ImageList, images.answer), { type: "text/event-stream", schema: TEXT }],
    samples: snippets("image-edits"),
  },
  {
    ...CACHED,
    tag: "Moderations",
    route: "moderations",
    operation_id: "createModeration",
    summary: "Moderations",
    description:
      "Judges texts and images, in the shape of OpenAI's moderations and in the categories of the model's vendor. Billed by input tokens, where the model has a price.",
    request: { schema: ModerationRequest, examples: moderations.requests },
    answer: "A judgment of each input; parts are one input together.",
    contents: [jsonContent(ModerationResult, moderations.answer)],
    samples: snippets("moderations"),
  },
];

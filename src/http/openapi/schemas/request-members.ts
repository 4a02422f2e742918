/** Descriptions of the members of requests whose schemas have none (docs/api.md 4.1 to 4.3, 4.14). */

export type MemberDescriptions = Readonly<Record<string, string>>;

/** Descriptions that are described alike. */
const each = (description: string, names: string): MemberDescriptions =>
  Object.fromEntries(names.split(" ").map((name) => [name, description]));

const EXTENDED = "Has an effect on models that support it; elsewhere it is left out and named in `x-camino-ignored`.";
const OUTSIDE = "Outside the supported surface: for models whose vendor speaks this protocol.";
const SAFETY = "A stable, hashed id of the end user.";
const OLDER = "The older name of `safety_identifier`, which wins.";

export const GEMINI_MEMBERS: MemberDescriptions = {
  contents: "The turns of the conversation, oldest first. A single object counts as a list of one.",
  systemInstruction: "What holds for the whole conversation.",
  tools: "What the model may call, as `functionDeclarations`; tools that only Google runs are left out elsewhere.",
  toolConfig: "Whether it must call, and which functions it may.",
  generationConfig: "Limits, sampling, the format of the answer, and thinking.",
  safetySettings: OUTSIDE,
  cachedContent: "Refused: what a vendor keeps belongs to no account of the gateway.",
  serviceTier: EXTENDED,
  labels: OUTSIDE,
};

export const CHAT_MEMBERS: MemberDescriptions = {
  model: "A model's id or an alias.",
  messages: "At least one, oldest first.",
  stream: "`true` answers as a stream of server-sent events.",
  stream_options: "`include_usage` adds a last chunk with the usage; has a meaning only with `stream`.",
  max_completion_tokens: "The cap on output, reasoning included. Wins over `max_tokens`.",
  max_tokens: "The older name of `max_completion_tokens`.",
  temperature: "As a rule 0 to 2.",
  top_p: "Nucleus threshold.",
  stop: "Generation stops at the first match, which is not part of the output.",
  tools: "What the model may call.",
  tool_choice: "`auto`, `none`, `required`, or an object that names a function.",
  reasoning_effort: "How much the model reasons. A level that it lacks becomes the next lower one it has.",
  safety_identifier: SAFETY,
  user: OLDER,
  ...each(EXTENDED, "presence_penalty frequency_penalty response_format parallel_tool_calls"),
  n: "How many answers. Above 1 it is refused where the model's vendor cannot.",
  ...each(
    EXTENDED,
    "logprobs top_logprobs modalities audio prediction seed metadata store service_tier verbosity web_search_options",
  ),
  functions: "The form before `tools`. The answer has a `function_call`.",
  function_call: "The form before `tool_choice`: `auto`, `none`, or an object with a `name`.",
};

export const RESPONSES_MEMBERS: MemberDescriptions = {
  model: "A model's id or an alias.",
  input: "A string is one user message; an array holds input items.",
  instructions: "System-level instructions, before everything else.",
  max_output_tokens: "The cap on output, reasoning included.",
  temperature: "As a rule 0 to 2.",
  top_p: "Nucleus threshold.",
  tools: "Function tools.",
  tool_choice: "`auto`, `none`, `required`, or an object that names a function.",
  reasoning: "`effort`: how much the model reasons. A level that it lacks becomes the next lower one it has.",
  text: "`format`: structured output.",
  safety_identifier: SAFETY,
  metadata: "Keys and values of the client's own.",
  stream: "`true` answers as a stream of server-sent events.",
  user: OLDER,
  previous_response_id: "The response of this account that the request goes on from: its items come before the input.",
  conversation: OUTSIDE,
  store: "Whether the response is kept for later requests to refer to.",
  ...each(
    OUTSIDE,
    "background include prompt prompt_cache_key prompt_cache_retention context_management max_tool_calls service_tier verbosity stream_options parallel_tool_calls",
  ),
};

export const MESSAGES_MEMBERS: MemberDescriptions = {
  model: "A model's id or an alias.",
  messages: "At least one, oldest first.",
  max_tokens: "The cap on output, thinking included.",
  system: "The system prompt, which never goes into `messages`.",
  temperature: "As a rule 0 to 1.",
  top_p: "Nucleus threshold.",
  top_k: "Draw from the k likeliest tokens only.",
  stop_sequences: "Generation stops at the first match.",
  tools: "What the model may call: `name`, `description`, `input_schema`.",
  tool_choice: "`auto`, `any`, `none`, or `tool` with a name.",
  metadata: "May carry `user_id`.",
  thinking: "`enabled` with a budget, `disabled` or `adaptive`.",
  stream: "`true` answers as a stream of server-sent events.",
  output_config: "`effort` and the output's `format`, for models whose vendor speaks this protocol.",
  service_tier: "For models whose vendor speaks this protocol.",
};

export const EMBEDDING_MEMBERS = {
  model: "An embedding model's id or an alias (`GET /v1/models?kind=embedding`).",
  input:
    "A text, a list of texts, tokens, or a list of lists of tokens; none may be empty. At most 2,048, with 300,000 tokens.",
  dimensions: "How long the vectors are, where the model can choose.",
  encoding_format: "`float` (the default) or `base64`, whichever form the vendor has.",
  user: "Your end user, for vendors that are told of them.",
} as const;

export const SPEECH_MEMBERS = {
  model: "A speech model's id or an alias (`GET /v1/models?kind=speech`).",
  voice: "The name of one of the vendor's voices, or an object with the `id` of a voice of your own.",
  instructions: "How it is to be spoken, for models that can be told.",
  response_format:
    "`mp3` (the default), `opus`, `aac`, `flac`, `wav` or `pcm`. Gemini's models speak in `wav` and `pcm`.",
  speed: "From 0.25 to 4.",
  stream_format: "`audio` (the default), or `sse` for events with pieces of sound in base64.",
} as const;

export const TRANSCRIPTION_MEMBERS = {
  model: "A transcription model's id or an alias (`GET /v1/models?kind=transcription`).",
  prompt: "A text that the sound goes on from.",
  response_format:
    "`json` (the default), `text`, `srt`, `vtt`, `verbose_json` or `diarized_json`, as far as the model has them.",
  temperature: "From 0 to 1.",
  language: "The language that is spoken, such as `en`.",
  "timestamp_granularities[]": "With `verbose_json`: `word`, `segment` or both.",
  stream: "Whether the text comes as events; from models that have no streams in one.",
} as const;

export const IMAGE_MEMBERS = {
  model:
    "An image model's id or an alias (`GET /v1/models?kind=image`), or a chat model of Gemini's that makes images.",
  n: "How many images, 1 to 10. Gemini's models make one.",
  size: "`1024x1024`, or another size of the model's; `auto` (the default) leaves it to the model.",
  quality: "A quality of the model's, such as `low` or `high`; `auto` (the default) leaves it to the model.",
  output_format: "`png` (mostly the default), `jpeg`, `webp` or `gif`. Gemini's models make `png`.",
  frame_count: "For a moving image: how many frames, 1 to 1,000, each of which is held for.",
  response_format: "`url` or `b64_json`, for models that have both.",
  stream: "Whether the images come as events.",
  partial_images: "How often an image is to be seen on its way, 0 to 3, for models that show it.",
  svg: "Not taken: another model makes drawings in SVG, at a price of its own.",
} as const;

export const COMPLETION_MEMBERS = {
  model: "A chat model that goes on from a text, or an alias; `GET /v1/models` lists the models.",
  prompt: "A text, at most 128 texts, a list of tokens, or lists of tokens.",
  suffix: "What comes behind the text that is generated, where the model can fill a middle.",
  max_tokens: "The most tokens of each text; 16 where it is absent.",
  best_of: "How many texts are made for each prompt, of which `n` are given. All are charged.",
  echo: "Whether each text begins with its prompt.",
} as const;

export const RERANK_MEMBERS = {
  model: "A reranking model's id or an alias (`GET /v1/models?kind=rerank`).",
  query: "What the documents are ranked by.",
  documents: "At most 10,000 texts, or objects with a `text` or the fields of `rank_fields`.",
  top_n: "How many results are given, the most relevant; all documents where it is absent.",
  rank_fields: "The fields of objects that are ranked by, in this order, in place of `text`.",
  return_documents: "Whether each result has its document; `false` where it is absent.",
  max_tokens_per_doc: "How much of a document is read, where the model's vendor takes a number.",
} as const;

export const MODERATION_MEMBERS = {
  model:
    "A moderation model's id or an alias (`GET /v1/models?kind=moderation`); `omni-moderation-latest` where none is named.",
  input: "A text, texts, or parts of one input: texts and images.",
} as const;

import Type from "typebox";
import { count, flag, text, textOrNull, unixSeconds } from "../../../../contract/answer-fields.ts";
import { orNull } from "../../../../contract/common.ts";
import { ReasoningControls } from "../../../../contract/models.ts";
import { MODEL_KINDS } from "../../../core/catalog/catalog.ts";
import { always, anyOf } from "./scalars.ts";

/** The schemas of the catalogue's objects (docs/api.md 2.1 to 2.3). */

const Reasoning = Type.Object(ReasoningControls.properties, {
  description: "How the model's reasoning can be controlled. Empty: it cannot.",
});

const Supported = Type.Object({ supported: Type.Boolean() });
const support = (description: string) =>
  Type.Object({ supported: Type.Boolean() }, { description: `Style B: ${description}` });

const Thinking = Type.Object(
  {
    supported: Type.Boolean(),
    types: Type.Object({ adaptive: Supported, enabled: Supported, disabled: Supported, between_tools: Supported }),
  },
  { description: "Style B: the ways in which a request may ask for reasoning." },
);

export const Capabilities = Type.Object({
  streaming: flag("Can answer as a stream."),
  tools: flag("Can call tools."),
  json: flag("Can be held to structured output."),
  vision: flag("Takes images."),
  thinking: Type.Union([flag("Reasons before it answers."), Thinking], {
    description: "A boolean; style B's object where the request has the header `anthropic-version`.",
  }),
  reasoning: Type.Optional(Reasoning),
  batch: support("Batches; there are none here."),
  citations: support("Citations, which the catalog does not know of."),
  code_execution: support("The vendor's code calling the request's tools; never said of a model here."),
  context_management: Type.Object(
    {
      supported: Type.Boolean(),
      clear_thinking_20251015: Supported,
      clear_tool_uses_20250919: Supported,
      compact_20260112: Supported,
    },
    { description: "Style B: the vendor's own care of the context, which the catalog does not know of." },
  ),
  effort: Type.Object(
    { supported: Type.Boolean(), low: Supported, medium: Supported, high: Supported, xhigh: Supported, max: Supported },
    { description: "Style B: the levels of `reasoning.effort`." },
  ),
  image_input: support("As `vision`."),
  pdf_input: support("Takes PDF files."),
  server_tools: Type.Object(
    { supported: Type.Boolean(), web_search: Supported, code_execution: Supported },
    { description: "Style B: the vendor's own tools that have a price." },
  ),
  structured_outputs: support("As `json`."),
});

const decimal = (what: string) => Type.String({ description: what });
const Pricing = Type.Object(
  {
    prompt: decimal("A token of input."),
    completion: decimal("A token of output."),
    request: decimal("Always 0."),
    image: decimal("Always 0."),
    web_search: decimal("A search of the web by the vendor; 0 where it has no price."),
    internal_reasoning: decimal("A token of reasoning, where it has a price apart from output; else 0."),
    input_cache_read: decimal("A token of input read from a cache."),
    input_cache_write: decimal("A token of input written to a cache."),
    audio: Type.Optional(decimal("A token of sound in the input.")),
    audio_output: Type.Optional(decimal("A token of sound in the output.")),
    input_audio_cache: Type.Optional(decimal("A token of sound read from a cache.")),
    image_token: Type.Optional(decimal("A token of images in the input.")),
    image_output: Type.Optional(decimal("A token of images in the output.")),
    input_characters: Type.Optional(decimal("A character that is spoken.")),
    input_minutes: Type.Optional(decimal("A minute of sound that is transcribed.")),
    images: Type.Optional(decimal("An image.")),
    searches: Type.Optional(decimal("A search of a ranking.")),
  },
  { description: "What one costs now, in units of the currency, as exact decimals; in the shape of OpenRouter's." },
);

export const ModelObject = Type.Object({
  id: text("`<vendor>/<short_name>`; for an alias its name."),
  object: always("model"),
  type: always("model"),
  display_name: text("The name for people."),
  name: text("The same, under OpenRouter's name."),
  pricing: Pricing,
  created: unixSeconds("Release time, Unix seconds."),
  created_at: Type.String({ format: "date-time", description: "Release time, RFC 3339." }),
  owned_by: text("Who made the model."),
  context_length: Type.Optional(count("Largest context in tokens; absent when unknown.")),
  max_completion_tokens: Type.Optional(count("Largest output in tokens; absent when unknown.")),
  max_input_tokens: orNull(count("Tokens."), "Style B's name for `context_length`; null when unknown."),
  max_tokens: orNull(count("Tokens."), "Style B's name for `max_completion_tokens`; null when unknown."),
  architecture: Type.Object({
    input_modalities: Type.Array(Type.String(), { description: "What it takes: `text`, `image`, …" }),
    output_modalities: Type.Array(Type.String(), { description: "What it makes: `text`, …" }),
  }),
  capabilities: Capabilities,
  lifecycle: Type.Optional(always("active")),
  line: Type.Optional(Type.Null({ description: "Style B's family of models, which is not known." })),
  deprecated_at: Type.Optional(Type.Null({ description: "Style B's; not known." })),
  retires_at: Type.Optional(Type.Null({ description: "Style B's; not known." })),
  root: Type.Optional(text("Aliases only: the id of the real model.")),
  kind: Type.Optional(anyOf([...MODEL_KINDS], "On a single model; in the list when `kind` was asked for.")),
});

/** A model in Gemini's shape (docs/api.md 4.14). */
export const GeminiModelObject = Type.Object({
  name: text("`models/` and the id."),
  version: text("The date of its release."),
  displayName: text("The name for people."),
  description: text("The name, and who made it."),
  inputTokenLimit: Type.Optional(count("Largest context in tokens; absent when unknown.")),
  outputTokenLimit: Type.Optional(count("Largest output in tokens; absent when unknown.")),
  supportedGenerationMethods: Type.Array(Type.String(), { description: "The methods of this style that it answers." }),
  thinking: Type.Boolean({ description: "Whether it can reason." }),
});

export const GeminiModelList = Type.Object({
  models: Type.Array(GeminiModelObject),
  nextPageToken: Type.Optional(text("The `pageToken` of the next page; absent on the last.")),
});

export const ModelList = Type.Object({
  object: always("list"),
  data: Type.Array(ModelObject),
  has_more: Type.Literal(false, { description: "The list is always whole." }),
  first_id: textOrNull("Id of the first entry; null when there is none."),
  last_id: textOrNull("Id of the last entry; null when there is none."),
});

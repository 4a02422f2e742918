import Type, { type TSchema } from "typebox";
import { count, text, textOrNull } from "../../../../contract/answer-fields.ts";
import { orNull } from "../../../../contract/common.ts";
import { always, cost } from "./scalars.ts";

/**
 * Requests and answers of the decision endpoints (docs/api.md 2.7, 4.6, 4.7); limits of docs/rulings.md 29. Requests are those of
 * the specification's surface, and of what `decisions.surface: vendor` adds, which says so (docs/rulings.md 174, 175).
 */

const closed = <Members extends Record<string, TSchema>>(members: Members, description?: string) =>
  Type.Object(members, { additionalProperties: false, ...(description !== undefined && { description }) });

const optionalText = (description: string) => Type.Optional(textOrNull(description));
const question = { instructions: text("What is asked. It may refer to the input.") };
const name = optionalText("Comes back with the answer. Names differ within a request.");
const imageUrl = text("A data URL of an image. Addresses are refused, but for the surface of vendors.");

const InputText = Type.Object({ type: always("input_text"), text: text("Text.") });
const InputImage = Type.Object({
  type: always("input_image"),
  image_url: imageUrl,
  detail: optionalText("How closely the model looks: `low`, `high`, `auto` or `original`."),
});
const InputJson = Type.Object({ type: always("input_json") }, { description: "A value that is read as its JSON." });

export const DecisionMessage = Type.Object(
  {
    type: Type.Optional(always("message")),
    role: always("user"),
    content: Type.Union([Type.String(), Type.Array(Type.Union([InputText, InputImage, InputJson]))]),
  },
  { description: "A part of the input." },
);

const VENDORS_ONLY = "Only where the operator has set the surface of vendors.";
const InputParts = Type.Union([Type.String(), Type.Array(Type.Union([InputText, InputImage]))]);
const status = optionalText("As OpenAI's API has it.");
const callId = text("Of the call, which stands before its output.");

/** What stands in an input beside messages of users. */
export const DecisionItem = Type.Union(
  [
    Type.Object(
      {
        type: Type.Optional(always("message")),
        role: Type.Enum(["developer", "system", "assistant"]),
        content: Type.Union([Type.String(), Type.Array(Type.Object({ type: Type.String() }))], {
          description: "Text, or parts: `input_text`; of an assistant `output_text` and `refusal`.",
        }),
        phase: optionalText("Of an assistant: `commentary` or `final_answer`."),
      },
      { description: "What another role said." },
    ),
    Type.Object(
      {
        type: always("function_call"),
        ...{
          id: optionalText("Its id."),
          call_id: callId,
          name: text("The function."),
          namespace: optionalText("Its."),
        },
        ...{ arguments: text("JSON."), status },
      },
      { description: "A call of a function." },
    ),
    Type.Object(
      {
        type: always("custom_tool_call"),
        ...{ id: optionalText("Its id."), call_id: callId, name: text("The tool."), namespace: optionalText("Its.") },
        ...{ input: text("What it got."), status },
      },
      { description: "A call of a custom tool." },
    ),
    Type.Object(
      {
        type: Type.Enum(["function_call_output", "custom_tool_call_output"]),
        ...{ id: optionalText("Its id."), call_id: callId, output: InputParts, status },
      },
      { description: "What came of a call." },
    ),
  ],
  { description: VENDORS_ONLY },
);

const choiceValue = Type.Union([Type.String(), Type.Boolean()], {
  description: '`true` and `"true"` are different values.',
});

export const DecisionQuestion = Type.Union([
  closed({ type: always("predicate"), ...question, name }, "A yes/no question."),
  closed(
    {
      type: always("choice"),
      ...question,
      name,
      choices: Type.Array(closed({ value: choiceValue, description: optionalText("What the value stands for.") }), {
        minItems: 2,
        maxItems: 255,
        description: "What to choose from; values differ.",
      }),
    },
    "One of several values.",
  ),
  closed(
    {
      type: always("score"),
      ...question,
      name,
      levels: Type.Array(
        closed({ label: optionalText("A short name."), description: optionalText("When the level applies.") }),
        { minItems: 2, maxItems: 10, description: "Lowest first." },
      ),
    },
    "A level of a rubric.",
  ),
]);

export const DecisionsRequest = closed({
  model: text("A decision model's id or an alias (`GET /v1/models?kind=decision`)."),
  input: Type.Union([Type.String(), Type.Array(Type.Union([DecisionMessage, DecisionItem]), { minItems: 1 })], {
    description: "What is decided about: text, or messages of the user's. At most 128 images.",
  }),
  questions: Type.Array(DecisionQuestion, { minItems: 1, maxItems: 400, description: "Answered in this order." }),
  safety_identifier: Type.Optional(
    orNull(Type.String({ maxLength: 128 }), "A stable, hashed id of the end user, for vendors that want one."),
  ),
  prompt_cache_key: optionalText(VENDORS_ONLY),
  prompt_cache_options: Type.Optional(
    orNull(closed({ mode: optionalText("As OpenAI's API has it."), ttl: optionalText("`30m`.") }), VENDORS_ONLY),
  ),
});

const probability = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });
const confidence = probability("0 where all answers are as likely as each other, 1 where one is certain.");
const nameOrNull = textOrNull("The question's name.");
const chance = probability("How likely it is; all of a question's sum to 1.");

const DecisionRefusal = Type.Object(
  {
    type: always("refusal"),
    name: nameOrNull,
    reason: optionalText("Why, where the model said so."),
  },
  { description: "The model declined this question." },
);

export const DecisionAnswer = Type.Union([
  Type.Object({ type: always("predicate"), name: nameOrNull, probability: probability("Of yes.") }),
  Type.Object({
    type: always("choice"),
    name: nameOrNull,
    choice: Type.Union([Type.String(), Type.Boolean()]),
    confidence,
    probabilities: Type.Array(Type.Object({ value: choiceValue, probability: chance })),
  }),
  Type.Object({
    type: always("score"),
    name: nameOrNull,
    score: Type.Number({ minimum: 0, description: "The expected index of the level." }),
    confidence,
    probabilities: Type.Array(
      Type.Object({ value: count("The level's index."), label: text("Its label."), probability: chance }),
    ),
  }),
  DecisionRefusal,
]);

export const DecisionUsage = Type.Object({
  input_tokens: count("What is billed: the input once, every question's instructions, every description."),
  input_tokens_details: Type.Object({
    cached_tokens: count("Input that the vendor read from its cache."),
    cache_write_tokens: count("Input that the vendor wrote to its cache."),
  }),
  output_tokens: count("Always 0."),
  output_tokens_details: Type.Object({ reasoning_tokens: count("Always 0.") }),
  total_tokens: count("The input's tokens."),
  cost: Type.Optional(cost),
});

export const Decision = Type.Object({
  model: text("The model that answered."),
  answers: Type.Array(DecisionAnswer, { description: "In the order of the questions." }),
  usage: DecisionUsage,
});

const StatePart = Type.Union([
  Type.Object({ type: always("text"), text: text("Text.") }),
  Type.Object({ type: always("image_url"), image_url: Type.Object({ url: imageUrl }) }),
]);

/** An input of text or JSON data, both of which the public clients send (docs/rulings.md 95). */
const data = (description: string) =>
  Type.Unknown({ description: `${description} As a rule a text; data is read as its JSON.` });
const keyedQuestion = { instructions: data("What is asked.") };
const criterion = (description: string) => Type.Optional(data(description));

export const SystemOneQuestion = Type.Union([
  closed(
    {
      type: always("noul"),
      ...keyedQuestion,
      criteria: Type.Optional(
        orNull(
          closed({ true: criterion("When it is yes."), false: criterion("When it is no.") }),
          "What each stands for.",
        ),
      ),
    },
    "A yes/no question.",
  ),
  closed(
    {
      type: always("choice"),
      ...keyedQuestion,
      criteria: Type.Record(Type.String(), data("What the option stands for, or null."), {
        description: "From option to description; 2 to 255, in the order of the text.",
      }),
    },
    "One of several options.",
  ),
  closed(
    {
      type: always("score"),
      ...keyedQuestion,
      criteria: Type.Array(data("When the level applies."), {
        minItems: 2,
        maxItems: 10,
        description: "Levels, lowest first.",
      }),
    },
    "A level of a rubric.",
  ),
  closed({ type: always("box"), ...keyedQuestion }, `Where something is in the image. ${VENDORS_ONLY}`),
]);

const Asset = closed({
  type: Type.Optional(always("image")),
  format: Type.Optional(orNull(Type.Enum(["png", "jpg", "jpeg"]), "Where the first bytes of the image do not say it.")),
  data_base64: Type.Optional(optionalText("The image.")),
  part: Type.Optional(optionalText("In multipart/form-data: the part that holds the image, in place of data_base64.")),
});

export const SystemOneRequest = closed({
  model: text("A decision model's id or an alias."),
  state: Type.Union([Type.String(), Type.Object({}), Type.Array(Type.Union([StatePart, Type.Unknown()]))], {
    description:
      "What is decided about. An array may mix parts of text and images; any other JSON is read as it stands.",
  }),
  images: Type.Optional(orNull(Type.Array(imageUrl, { maxItems: 128 }), "Put after the state.")),
  assets: Type.Optional(
    orNull(
      Type.Record(Type.String(), Asset, { minProperties: 1, maxProperties: 128 }),
      "Images by the names that the state and the questions have for them.",
    ),
  ),
  questions: Type.Record(Type.String(), SystemOneQuestion, {
    description: "By name; answered in the order of the text.",
  }),
});

const keyedChances = (description: string) => Type.Record(Type.String(), chance, { description });

/** An edge of a box: a share of the image. */
const edge = (description: string) => Type.Optional(probability(description));

export const SystemOneAnswer = Type.Union([
  Type.Object({ type: always("noul"), noul: probability("Of yes.") }),
  Type.Object({ type: always("choice"), choice: Type.String(), confidence, probabilities: keyedChances("By option.") }),
  Type.Object({
    type: always("score"),
    score: Type.Number({ minimum: 0, description: "The expected index of the level." }),
    confidence,
    legend: Type.Record(Type.String(), Type.String(), { description: "From a level's index to its description." }),
    probabilities: keyedChances("By the level's index."),
  }),
  Type.Object(
    {
      type: always("box"),
      ...{ top: edge("Above the bottom."), bottom: edge("Below the top.") },
      ...{ left: edge("Left of the right."), right: edge("Right of the left.") },
    },
    {
      description: `Where it is in the image, as its vendor wrote it: its edges may be in a member \`box\`. ${VENDORS_ONLY}`,
    },
  ),
  Type.Object({ type: always("refusal"), reason: optionalText("Why, where the model said so.") }),
]);

export const SystemOneDecision = Type.Object({
  model: text("The model that answered."),
  answers: Type.Record(Type.String(), SystemOneAnswer, { description: "By the questions' names, in their order." }),
  usage: Type.Object({
    input_tokens: count("What is billed."),
    output_tokens: count("Always 0."),
    cost: Type.Optional(cost),
  }),
});

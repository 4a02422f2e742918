import { describe, expect, test } from "bun:test";
import type { DecisionClientRequest } from "../../core/answer/decision.ts";
import { GatewayError } from "../../core/errors.ts";
import { NO_USAGE } from "../../core/money/usage.ts";
import { systemoneClient } from "./client.ts";

const PNG = "data:image/png;base64,iVBORw0KGgo=";
const ASKS = { type: "noul", instructions: "Is it urgent?" };
const HELLO = { model: "acme/decider", state: "My card was charged twice.", questions: { urgent: ASKS } };

function read(body: unknown): DecisionClientRequest {
  return systemoneClient.readRequest(typeof body === "string" ? body : JSON.stringify(body));
}

/** The code and parameter of the error that refuses a body; null when the body is accepted. */
function refusal(body: unknown): readonly [string, string | null] | null {
  try {
    read(body);
  } catch (error) {
    if (error instanceof GatewayError) return [error.code, error.param];
    throw error;
  }
  return null;
}

const asking = (question: unknown) => ({ ...HELLO, questions: { weather: question } });
const about = (state: unknown) => ({ ...HELLO, state });
const withState = (state_text: string) =>
  `{"model":"m","state":${state_text},"questions":{"urgent":${JSON.stringify(ASKS)}}}`;
const withQuestions = (questions_text: string) => `{"model":"m","state":"x","questions":${questions_text}}`;
const choosing = (criteria: unknown) => asking({ type: "choice", instructions: "Which?", criteria });
const rating = (criteria: unknown) => asking({ type: "score", instructions: "How much?", criteria });
const keyed = <T>(count: number, value: T) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, value]));

describe("a request", () => {
  test("is read into a decision and the fields that the pipeline needs", () => {
    const text = JSON.stringify({
      model: "acme/decider",
      state: { ticket: "My card was charged twice." },
      images: [PNG],
      questions: {
        urgent: { ...ASKS, criteria: { true: "money is moving", false: null } },
        team: { type: "choice", instructions: "Which team?", criteria: { billing: "payments", shipping: null } },
        tone: { type: "score", instructions: "How upset?", criteria: ["calm", "furious"] },
      },
    });
    expect(read(text)).toMatchObject({ protocol: "systemone", stream: false, output_cap: 0, choices: 1, text });
    expect(read(text).decision).toEqual({
      model: "acme/decider",
      input: [
        [
          { type: "json", text: '{"ticket":"My card was charged twice."}' },
          { type: "image", url: PNG },
        ],
      ],
      questions: [
        {
          type: "predicate",
          name: "urgent",
          instructions: "Is it urgent?",
          when_true: "money is moving",
          when_false: null,
        },
        {
          type: "choice",
          name: "team",
          instructions: "Which team?",
          options: [
            { value: "billing", description: "payments" },
            { value: "shipping", description: null },
          ],
        },
        {
          type: "score",
          name: "tone",
          instructions: "How upset?",
          levels: [
            { label: null, description: "calm" },
            { label: null, description: "furious" },
          ],
        },
      ],
      safety_identifier: null,
    });
  });

  test("keeps the order of its keys, also of keys that look like numbers or like an object's own members", () => {
    const { questions } = read(
      withQuestions(
        `{"10":${JSON.stringify(ASKS)},"__proto__":${JSON.stringify(ASKS)},"9":{"type":"choice","instructions":"?","criteria":{"2":"b","constructor":null,"1":"a","__proto__":"p"}},"b":${JSON.stringify(ASKS)},"":${JSON.stringify(ASKS)}}`,
      ),
    ).decision;
    expect(questions.map(({ name }) => name)).toEqual(["10", "__proto__", "9", "b", ""]);
    expect(questions[2]).toEqual({
      type: "choice",
      name: "9",
      instructions: "?",
      options: [
        { value: "2", description: "b" },
        { value: "constructor", description: null },
        { value: "1", description: "a" },
        { value: "__proto__", description: "p" },
      ],
    });
  });

  test.each([
    ["an object", '{"b": 12345678901234567890, "1":1e400, "b":2}'],
    ["an array of texts", '["Hi", "I was charged twice."]'],
    ["an empty array", "[]"],
    ["parts beside data", '[{"type":"text","text":"a"}, {"type":"note"}]'],
    ["a text part with more in it", '[{"type":"text","text":"a","lang":"en"}]'],
    ["an image inside an object", '{"photo":{"type":"image_url","image_url":{"url":"https://acme.example/x.png"}}}'],
  ])("keeps a state that is %s as it was written", (_what, state) => {
    expect(read(withState(state)).decision.input).toEqual([[{ type: "json", text: state }]]);
  });

  test("is split into parts: texts, images, and data between them", () => {
    const image_url = { url: PNG, detail: "low" };
    expect(
      read(
        about([
          "Look:",
          { type: "image_url", image_url },
          { type: "text", text: "and" },
          { seen: 1 },
          { type: "image_url", image_url: { url: PNG } },
        ]),
      ).decision.input,
    ).toEqual([
      [
        { type: "text", text: "Look:" },
        { type: "image", url: PNG, detail: "low" },
        { type: "text", text: "and" },
        { type: "json", text: '{"seen":1}' },
        { type: "image", url: PNG },
      ],
    ]);
    const texts = [
      { type: "text", text: "a" },
      { type: "text", text: "b" },
    ];
    expect(read(about(texts)).decision.input).toEqual([texts as never]);
  });

  test("may consist of images alone", () => {
    expect(read({ ...HELLO, state: "", images: [PNG, PNG] }).decision.input).toEqual([
      [
        { type: "image", url: PNG },
        { type: "image", url: PNG },
      ],
    ]);
  });

  test("has data as its JSON where the public clients may send data in place of text", () => {
    const question = { data: { "2": "b", "1": "a" }, ask: "Same person as `data`?" };
    const score = `{"type":"score","instructions":{"b":1.0,"a":[]},"criteria":[["low"],{"of": 2},null]}`;
    const noul = `{"type":"noul","instructions":${JSON.stringify(question)},"criteria":{"false":["no"]}}`;
    const text = withQuestions(`{"q":${score},"n":${noul}}`);
    expect(read(text).decision.questions).toEqual([
      {
        type: "score",
        name: "q",
        instructions: '{"b":1.0,"a":[]}',
        levels: [
          { label: null, description: '["low"]' },
          { label: null, description: '{"of": 2}' },
          { label: null, description: null },
        ],
        keyed_text: score,
      },
      {
        type: "predicate",
        name: "n",
        instructions: JSON.stringify(question),
        when_true: null,
        when_false: '["no"]',
        keyed_text: noul,
      },
    ]);
  });

  test("counts each image in its input bound", () => {
    const bound = (base64: string) =>
      read({ ...HELLO, images: [`data:image/png;base64,${base64}`] }).input_bound_tokens;
    expect(bound("A".repeat(100_000))).toBe(bound("AAAA"));
    expect(bound("AAAA")).toBeGreaterThan(8192);
  });

  test.each([
    ["400 questions", { ...HELLO, questions: keyed(400, ASKS) }],
    ["2 options", choosing({ a: null, b: null })],
    ["255 options", choosing(keyed(255, null))],
    ["2 levels", rating(["a", "b"])],
    ["10 levels that are the same", rating(Array.from({ length: 10 }, () => "x"))],
    ["128 images", { ...HELLO, images: Array.from({ length: 128 }, () => PNG) }],
    ["images that are null", { ...HELLO, images: null }],
    ["criteria that are null", asking({ ...ASKS, criteria: null })],
    ["empty criteria", asking({ ...ASKS, criteria: {} })],
    ["an empty state", about("")],
    ["an option without a name", choosing({ "": "none", a: null })],
  ])("may have %s", (_what, body) => {
    expect(refusal(body)).toBeNull();
  });
});

const REFUSED: readonly (readonly [what: string, body: unknown, code: string, param: string | null])[] = [
  ["nothing", "", "invalid_json", null],
  ["text", '"x"', "invalid_json", null],
  ["a member twice", '{"model":"a","state":"x","state":"y"}', "invalid_json", "state"],
  [
    "a member of a question twice",
    withQuestions(`{"a":{"type":"noul","instructions":"x","instructions":"y"}}`),
    "invalid_json",
    "questions.a.instructions",
  ],
  [
    "the meaning of an answer twice",
    withQuestions(`{"a":{"type":"noul","instructions":"x","criteria":{"true":"x","tru\\u0065":"y"}}}`),
    "invalid_json",
    "questions.a.criteria.true",
  ],

  ["input", { ...HELLO, input: "x" }, "unknown_parameter", "input"],
  ["no assets", { ...HELLO, assets: {} }, "invalid_input", "assets"],
  ["safety_identifier", { ...HELLO, safety_identifier: "u" }, "unknown_parameter", "safety_identifier"],
  ["stream", { ...HELLO, stream: false }, "unknown_parameter", "stream"],
  ["a question's name", asking({ ...ASKS, name: "n" }), "unknown_parameter", "questions.weather.name"],
  ["a question's choices", asking({ ...ASKS, choices: [] }), "unknown_parameter", "questions.weather.choices"],
  [
    "a third answer",
    asking({ ...ASKS, criteria: { maybe: "x" } }),
    "unknown_parameter",
    "questions.weather.criteria.maybe",
  ],
  [
    "an image part's text",
    about([{ type: "image_url", image_url: { url: PNG }, text: "x" }]),
    "unknown_parameter",
    "state[0].text",
  ],
  [
    "an image's size",
    about([{ type: "image_url", image_url: { url: PNG, size: 1 } }]),
    "unknown_parameter",
    "state[0].image_url.size",
  ],

  ["no model", { state: "x", questions: { a: ASKS } }, "invalid_input", "model"],
  ["no state", { model: "m", questions: { a: ASKS } }, "invalid_input", "state"],
  ["null for a state", about(null), "invalid_input", "state"],
  ["a number for a state", about(1), "invalid_input", "state"],
  [
    "an image elsewhere",
    about(["x", { type: "image_url", image_url: { url: "https://acme.example/x.png" } }]),
    "invalid_input",
    "state[1].image_url.url",
  ],
  [
    "an image without its object",
    about([{ type: "image_url", image_url: PNG }]),
    "invalid_input",
    "state[0].image_url",
  ],
  ["one image for a list", { ...HELLO, images: PNG }, "invalid_input", "images"],
  ["an image that is no URL", { ...HELLO, images: [PNG, { url: PNG }] }, "invalid_input", "images[1]"],
  ["an image that is elsewhere", { ...HELLO, images: ["https://acme.example/x.png"] }, "invalid_input", "images[0]"],
  ["129 images", { ...HELLO, images: Array.from({ length: 129 }, () => PNG) }, "invalid_input", "images"],

  ["no questions", { model: "m", state: "x" }, "empty_questions", "questions"],
  ["an empty object of questions", { ...HELLO, questions: {} }, "empty_questions", "questions"],
  ["null for questions", { ...HELLO, questions: null }, "empty_questions", "questions"],
  ["a list of questions", { ...HELLO, questions: [ASKS] }, "invalid_input", "questions"],
  ["401 questions", { ...HELLO, questions: keyed(401, ASKS) }, "invalid_input", "questions"],
  ["text for a question", asking("Is it?"), "invalid_input", "questions.weather"],
  [
    "a name twice",
    withQuestions(`{"a":${JSON.stringify(ASKS)},"b":${JSON.stringify(ASKS)},"\\u0061":${JSON.stringify(ASKS)}}`),
    "duplicate_question_name",
    "questions.a",
  ],
  ["no type", asking({ instructions: "?" }), "invalid_question_type", "questions.weather.type"],
  ["the other shape's type", asking({ ...ASKS, type: "predicate" }), "invalid_question_type", "questions.weather.type"],
  ["a box", asking({ type: "box", instructions: "?" }), "invalid_question_type", "questions.weather.type"],
  ["no instructions", asking({ type: "noul" }), "invalid_input", "questions.weather.instructions"],
  ["null for instructions", asking({ ...ASKS, instructions: null }), "invalid_input", "questions.weather.instructions"],
  ["a list of meanings", asking({ ...ASKS, criteria: [] }), "invalid_input", "questions.weather.criteria"],
  [
    "a number for the meaning of yes",
    asking({ ...ASKS, criteria: { true: 1 } }),
    "invalid_input",
    "questions.weather.criteria.true",
  ],

  ["no options", asking({ type: "choice", instructions: "?" }), "invalid_choice_value", "questions.weather.criteria"],
  ["a list of options", choosing(["a", "b"]), "invalid_choice_value", "questions.weather.criteria"],
  ["1 option", choosing({ a: null }), "invalid_choice_value", "questions.weather.criteria"],
  ["256 options", choosing(keyed(256, null)), "invalid_choice_value", "questions.weather.criteria"],
  ["a number for an option", choosing({ a: 1, b: null }), "invalid_choice_value", "questions.weather.criteria.a"],
  [
    "an option twice",
    withQuestions('{"7":{"type":"choice","instructions":"?","criteria":{"1":null,"2":null,"1":"x"}}}'),
    "duplicate_choice_value",
    'questions["7"].criteria["1"]',
  ],

  ["no levels", asking({ type: "score", instructions: "?" }), "invalid_input", "questions.weather.criteria"],
  ["levels by name", rating({ low: "x", high: "y" }), "invalid_input", "questions.weather.criteria"],
  ["1 level", rating(["a"]), "invalid_input", "questions.weather.criteria"],
  ["11 levels", rating(Array.from({ length: 11 }, () => "x")), "invalid_input", "questions.weather.criteria"],
  ["a number for a level", rating(["a", 1]), "invalid_input", "questions.weather.criteria[1]"],
];

describe("a request is refused", () => {
  test.each(REFUSED)("for %s", (_what, body, code, param) => {
    expect(refusal(body)).toEqual([code, param]);
  });

  test("without repeating a long name in the error", () => {
    const [, param] = refusal({ ...HELLO, questions: { ["x".repeat(10_000)]: 1 } }) ?? [];
    expect(param).toBe(`questions["${"x".repeat(80)}…"]`);
  });
});

describe("an answer", () => {
  test("has exactly the keyed shape, with keys in the order of the request", () => {
    const { decision } = read(
      withQuestions(
        `{"2":{"type":"choice","instructions":"?","criteria":{"9":null,"__proto__":null,"1":null}},"1":{"type":"score","instructions":"?","criteria":["low",null]},"b":${JSON.stringify(ASKS)},"a":${JSON.stringify(ASKS)},"__proto__":${JSON.stringify(ASKS)}}`,
      ),
    );
    const body = systemoneClient.encodeAnswer(
      {
        model: "acme/decider",
        usage: { ...NO_USAGE, input_tokens: 32, cache_read_tokens: 7, cache_write_tokens: 3 },
        answers: [
          { type: "choice", choice: 1, confidence: 0.25, probabilities: [0.25, 0.5, 0.25] },
          { type: "score", score: 0.75, confidence: 0.5, probabilities: [0.25, 0.75] },
          { type: "predicate", probability: 0.125 },
          { type: "refusal", reason: "unsafe" },
          { type: "refusal", reason: null },
        ],
      },
      decision,
    );
    expect(body).toBe(
      '{"model":"acme/decider","answers":{"2":{"type":"choice","choice":"__proto__","confidence":0.25,"probabilities":{"9":0.25,"__proto__":0.5,"1":0.25}},' +
        '"1":{"type":"score","score":0.75,"confidence":0.5,"legend":{"0":"low","1":"1"},"probabilities":{"0":0.25,"1":0.75}},' +
        '"b":{"type":"noul","noul":0.125},"a":{"type":"refusal","reason":"unsafe"},"__proto__":{"type":"refusal"}},' +
        '"usage":{"input_tokens":42,"output_tokens":0}}',
    );
  });
});

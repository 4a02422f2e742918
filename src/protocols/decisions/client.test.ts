import { describe, expect, test } from "bun:test";
import type { DecisionClientRequest } from "../../core/answer/decision.ts";
import { GatewayError } from "../../core/errors.ts";
import { NO_USAGE } from "../../core/money/usage.ts";
import { decisionsClient } from "./client.ts";

const PNG = "data:image/png;base64,iVBORw0KGgo=";
const ASKS = { type: "predicate", instructions: "Is it urgent?" };
const HELLO = { model: "acme/decider", input: "My card was charged twice.", questions: [ASKS] };

function read(body: unknown): DecisionClientRequest {
  return decisionsClient.readRequest(typeof body === "string" ? body : JSON.stringify(body));
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

const asking = (...questions: unknown[]) => ({ ...HELLO, questions });
const about = (input: unknown) => ({ ...HELLO, input });
const withPart = (part: unknown) => about([{ role: "user", content: [part] }]);
const choosing = (...choices: unknown[]) => asking({ type: "choice", instructions: "Which?", choices });
const rating = (...levels: unknown[]) => asking({ type: "score", instructions: "How much?", levels });
const many = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index));

describe("a request", () => {
  test("is read into a decision and the fields that the pipeline needs", () => {
    const text = JSON.stringify({
      model: "acme/decider",
      input: [
        { type: "message", role: "user", content: "Hello" },
        {
          role: "user",
          content: [
            { type: "input_text", text: "See:" },
            { type: "input_image", image_url: PNG, detail: "low" },
          ],
        },
      ],
      questions: [
        { type: "predicate", name: "urgent", instructions: "Is it urgent?" },
        {
          type: "choice",
          instructions: "Which?",
          choices: [{ value: true, description: "yes" }, { value: "true" }, { value: "__proto__", description: null }],
        },
        { type: "score", name: null, instructions: "How?", levels: [{ label: "low" }, { description: "high" }, {}] },
      ],
      safety_identifier: "user-1",
    });
    expect(read(text)).toMatchObject({ protocol: "decisions", stream: false, output_cap: 0, choices: 1, text });
    expect(read(text).decision).toEqual({
      model: "acme/decider",
      input: [
        [{ type: "text", text: "Hello" }],
        [
          { type: "text", text: "See:" },
          { type: "image", url: PNG, detail: "low" },
        ],
      ],
      questions: [
        { type: "predicate", name: "urgent", instructions: "Is it urgent?", when_true: null, when_false: null },
        {
          type: "choice",
          name: null,
          instructions: "Which?",
          options: [
            { value: true, description: "yes" },
            { value: "true", description: null },
            { value: "__proto__", description: null },
          ],
        },
        {
          type: "score",
          name: null,
          instructions: "How?",
          levels: [
            { label: "low", description: null },
            { label: null, description: "high" },
            { label: null, description: null },
          ],
        },
      ],
      safety_identifier: "user-1",
    });
  });

  test("keeps the JSON of a part as the client wrote it, digits and order included", () => {
    const text = `{"model":"m","input":[{"role":"user","content":[{"type":"input_json","data": {"b": 12345678901234567890, "1":1e400} }]}],"questions":[${JSON.stringify(ASKS)}]}`;
    expect(read(text).decision.input).toEqual([[{ type: "json", text: '{"b": 12345678901234567890, "1":1e400}' }]]);
  });

  test("has an input bound from its bytes, with fixed bounds for each image and each question", () => {
    const bound = (body: unknown) => read(body).input_bound_tokens;
    const text_bytes = Buffer.byteLength(JSON.stringify(HELLO));
    expect(bound(HELLO)).toBe(text_bytes + 256);
    expect(bound(asking(ASKS, ASKS)) - bound(HELLO)).toBeGreaterThan(256);
    const small = bound(withPart({ type: "input_image", image_url: PNG }));
    const large = bound(withPart({ type: "input_image", image_url: `data:image/png;base64,${"A".repeat(100_000)}` }));
    expect(small).toBeGreaterThan(8192);
    expect(large).toBe(small);
  });

  test.each([
    ["lone surrogates", about("\ud800 and \udfff"), "\ud800 and \udfff"],
    ["an empty input", about(""), ""],
  ])("may have %s", (_what, body, text) => {
    expect(read(body).decision.input).toEqual([[{ type: "text", text }]]);
  });

  test("may have JSON five hundred levels deep, and texts with a hundred thousand quotes", () => {
    const deep = `${'{"a":'.repeat(500)}1${"}".repeat(500)}`;
    const text = `{"model":"m","input":[{"role":"user","content":[{"type":"input_json","data":${deep}}]}],"questions":[${JSON.stringify(ASKS)}]}`;
    expect(read(text).decision.input[0]?.[0]).toEqual({ type: "json", text: deep });
    const quotes = '\\"'.repeat(100_000);
    expect(read(about(quotes)).decision.input[0]?.[0]).toEqual({ type: "text", text: quotes });
  });

  test.each([
    ["400 questions", asking(...many(400, () => ASKS))],
    ["2 choices", choosing({ value: "a" }, { value: "b" })],
    ["255 choices", choosing(...many(255, (index) => ({ value: String(index) })))],
    ["2 levels", rating({}, {})],
    ["10 levels", rating(...many(10, () => ({ label: "same" })))],
    ["128 images", about([{ role: "user", content: many(128, () => ({ type: "input_image", image_url: PNG })) }])],
    ["an identifier of 128 characters", { ...HELLO, safety_identifier: "🦀".repeat(128) }],
    ["an identifier that is null", { ...HELLO, safety_identifier: null }],
    ["a string and a boolean of equal text", choosing({ value: "false" }, { value: false })],
    ["a detail that is null", withPart({ type: "input_image", image_url: PNG, detail: null })],
    ["a name like an object's own", asking({ ...ASKS, name: "constructor" }, { ...ASKS, name: "__proto__" })],
  ])("may have %s", (_what, body) => {
    expect(refusal(body)).toBeNull();
  });
});

const REFUSED: readonly (readonly [what: string, body: unknown, code: string, param: string | null])[] = [
  ["nothing", "", "invalid_json", null],
  ["half of it", '{"model": "m"', "invalid_json", null],
  ["an array", "[]", "invalid_json", null],
  ["a member twice", '{"model":"a","model":"b","input":"","questions":[]}', "invalid_json", "model"],
  [
    "a member of a question twice",
    `{"model":"m","input":"x","questions":[{"type":"choice","instructions":"?","type":"predicate"}]}`,
    "invalid_json",
    "questions[0].type",
  ],

  ["stream", { ...HELLO, stream: false }, "unknown_parameter", "stream"],
  ["temperature", { ...HELLO, temperature: 0 }, "unknown_parameter", "temperature"],
  ["max_tokens", { ...HELLO, max_tokens: 1 }, "unknown_parameter", "max_tokens"],
  ["prompt_cache_key", { ...HELLO, prompt_cache_key: "k" }, "unknown_parameter", "prompt_cache_key"],
  ["__proto__", `{"model":"m","input":"x","questions":[],"__proto__":1}`, "unknown_parameter", "__proto__"],
  ["choices of a predicate", asking({ ...ASKS, choices: [] }), "unknown_parameter", "questions[0].choices"],
  [
    "levels of a choice",
    asking({ type: "choice", instructions: "?", choices: [{ value: "a" }, { value: "b" }], levels: [] }),
    "unknown_parameter",
    "questions[0].levels",
  ],
  ["criteria", asking(ASKS, { ...ASKS, criteria: {} }), "unknown_parameter", "questions[1].criteria"],
  [
    "a choice's label",
    choosing({ value: "a" }, { value: "b", label: "B" }),
    "unknown_parameter",
    "questions[0].choices[1].label",
  ],
  ["a level's value", rating({ label: "a" }, { value: 1 }), "unknown_parameter", "questions[0].levels[1].value"],
  ["a message's name", about([{ role: "user", content: "x", name: "n" }]), "unknown_parameter", "input[0].name"],
  [
    "a part's breakpoint",
    withPart({ type: "input_text", text: "x", prompt_cache_breakpoint: { mode: "explicit" } }),
    "unknown_parameter",
    "input[0].content[0].prompt_cache_breakpoint",
  ],

  ["no model", { input: "x", questions: [ASKS] }, "invalid_input", "model"],
  ["an empty model", { ...HELLO, model: "" }, "invalid_input", "model"],
  ["a number for a model", { ...HELLO, model: 4 }, "invalid_input", "model"],
  ["no input", { model: "m", questions: [ASKS] }, "invalid_input", "input"],
  ["null for input", about(null), "invalid_input", "input"],
  ["an object for input", about({ role: "user", content: "x" }), "invalid_input", "input"],
  ["no messages", about([]), "invalid_input", "input"],
  ["text for a message", about(["x"]), "invalid_input", "input[0]"],
  ["another role", about([{ role: "system", content: "x" }]), "invalid_input", "input[0].role"],
  ["no role", about([{ content: "x" }]), "invalid_input", "input[0].role"],
  ["another item", about([{ type: "function_call", role: "user", content: "x" }]), "invalid_input", "input[0].type"],
  ["no content", about([{ role: "user" }]), "invalid_input", "input[0].content"],
  ["empty content", about([{ role: "user", content: [] }]), "invalid_input", "input[0].content"],
  ["text for a part", withPart("x"), "invalid_input", "input[0].content[0]"],
  ["an unknown part", withPart({ type: "input_file" }), "invalid_input", "input[0].content[0].type"],
  ["a part without text", withPart({ type: "input_text" }), "invalid_input", "input[0].content[0].text"],
  ["a JSON part of a number", withPart({ type: "input_json", data: 1 }), "invalid_input", "input[0].content[0].data"],
  ["a JSON part of null", withPart({ type: "input_json", data: null }), "invalid_input", "input[0].content[0].data"],
  ...["https://acme.example/x.png", "data:text/plain,hello", "data:image/png;base64", "", 1, { url: PNG }].map(
    (image_url) =>
      [
        `the image ${JSON.stringify(image_url)}`,
        withPart({ type: "input_image", image_url }),
        "invalid_input",
        "input[0].content[0].image_url",
      ] as const,
  ),
  [
    "an unknown detail",
    withPart({ type: "input_image", image_url: PNG, detail: "huge" }),
    "invalid_input",
    "input[0].content[0].detail",
  ],
  [
    "129 images",
    about(many(129, () => ({ role: "user", content: [{ type: "input_image", image_url: PNG }] }))),
    "invalid_input",
    "input",
  ],
  ["a long identifier", { ...HELLO, safety_identifier: "x".repeat(129) }, "invalid_input", "safety_identifier"],
  ["a number for an identifier", { ...HELLO, safety_identifier: 7 }, "invalid_input", "safety_identifier"],

  ["no questions", { model: "m", input: "x" }, "empty_questions", "questions"],
  ["an empty list of questions", asking(), "empty_questions", "questions"],
  ["null for questions", { ...HELLO, questions: null }, "empty_questions", "questions"],
  ["questions by name", { ...HELLO, questions: { a: ASKS } }, "invalid_input", "questions"],
  ["401 questions", asking(...many(401, () => ASKS)), "invalid_input", "questions"],
  ["text for a question", asking("Is it?"), "invalid_input", "questions[0]"],
  ["no type", asking({ instructions: "?" }), "invalid_question_type", "questions[0].type"],
  ["the keyed shape's type", asking(ASKS, { type: "noul" }), "invalid_question_type", "questions[1].type"],
  ["a box", asking({ type: "box", instructions: "?" }), "invalid_question_type", "questions[0].type"],
  ["a number for a type", asking({ type: 1 }), "invalid_question_type", "questions[0].type"],
  ["no instructions", asking({ type: "predicate" }), "invalid_input", "questions[0].instructions"],
  ["parts for instructions", asking({ ...ASKS, instructions: [] }), "invalid_input", "questions[0].instructions"],
  ["a number for a name", asking({ ...ASKS, name: 1 }), "invalid_input", "questions[0].name"],
  [
    "a name twice",
    asking({ ...ASKS, name: "a" }, ASKS, ASKS, { ...ASKS, name: "a" }),
    "duplicate_question_name",
    "questions[3].name",
  ],

  ["no choices", asking({ type: "choice", instructions: "?" }), "invalid_choice_value", "questions[0].choices"],
  ["1 choice", choosing({ value: "a" }), "invalid_choice_value", "questions[0].choices"],
  [
    "256 choices",
    choosing(...many(256, (index) => ({ value: String(index) }))),
    "invalid_choice_value",
    "questions[0].choices",
  ],
  ["text for a choice", choosing("a", "b"), "invalid_choice_value", "questions[0].choices[0]"],
  ...[1, null, undefined, ["a"], {}].map(
    (value) =>
      [
        `the choice value ${JSON.stringify(value)}`,
        asking(ASKS, ASKS, { type: "choice", instructions: "?", choices: [{ value: "a" }, { value }] }),
        "invalid_choice_value",
        "questions[2].choices[1].value",
      ] as const,
  ),
  [
    "a number for a description",
    choosing({ value: "a" }, { value: "b", description: 1 }),
    "invalid_choice_value",
    "questions[0].choices[1].description",
  ],
  [
    "a string choice twice",
    choosing({ value: "a" }, { value: "b" }, { value: "a" }),
    "duplicate_choice_value",
    "questions[0].choices[2].value",
  ],
  [
    "a boolean choice twice",
    choosing({ value: true }, { value: "true" }, { value: true }),
    "duplicate_choice_value",
    "questions[0].choices[2].value",
  ],

  ["no levels", asking({ type: "score", instructions: "?" }), "invalid_input", "questions[0].levels"],
  ["1 level", rating({ label: "a" }), "invalid_input", "questions[0].levels"],
  ["11 levels", rating(...many(11, () => ({}))), "invalid_input", "questions[0].levels"],
  ["text for a level", rating("low", "high"), "invalid_input", "questions[0].levels[0]"],
  ["a number for a label", rating({ label: 1 }, {}), "invalid_input", "questions[0].levels[0].label"],
];

describe("a request is refused", () => {
  test.each(REFUSED)("for %s", (_what, body, code, param) => {
    expect(refusal(body)).toEqual([code, param]);
  });

  test("with an error that says what was found, what is allowed, and where", () => {
    const said = (body: unknown) => {
      try {
        read(body);
      } catch (error) {
        return error instanceof Error ? error.message : "";
      }
      return "";
    };
    expect(said(choosing({ value: "a" }, { value: 1 }))).toBe(
      "'questions[0].choices[1].value' is the number 1; allowed: a string or a boolean.",
    );
    expect(said({ ...HELLO, stream: true })).toBe(
      "'stream' is not a field of /v1/decisions; allowed: model, input, questions, safety_identifier.",
    );
    expect(said(asking())).toBe("'questions' has no questions; allowed: 1 to 400.");
    expect(said(choosing({ value: "a" }))).toBe("'questions[0].choices' has 1 entry; allowed: 2 to 255.");
  });
});

describe("an answer", () => {
  test("has exactly the public shape, in the order of the questions", () => {
    const { decision } = read(
      asking(
        { ...ASKS, name: "urgent" },
        { type: "choice", instructions: "?", choices: [{ value: true }, { value: "true" }] },
        { type: "score", name: "s", instructions: "?", levels: [{ label: "low" }, { description: "mid" }, {}] },
        { ...ASKS, name: "declined" },
        ASKS,
      ),
    );
    const body = decisionsClient.encodeAnswer(
      {
        model: "acme/decider",
        usage: { ...NO_USAGE, input_tokens: 32, cache_read_tokens: 7, cache_write_tokens: 3 },
        answers: [
          { type: "predicate", probability: 0.25 },
          { type: "choice", choice: 1, confidence: 0.5, probabilities: [0.25, 0.75] },
          { type: "score", score: 1.25, confidence: 0.5, probabilities: [0.25, 0.25, 0.5] },
          { type: "refusal", reason: "unsafe" },
          { type: "refusal", reason: null },
        ],
      },
      decision,
    );
    expect(JSON.parse(body)).toEqual({
      model: "acme/decider",
      answers: [
        { type: "predicate", name: "urgent", probability: 0.25 },
        {
          type: "choice",
          name: null,
          choice: "true",
          confidence: 0.5,
          probabilities: [
            { value: true, probability: 0.25 },
            { value: "true", probability: 0.75 },
          ],
        },
        {
          type: "score",
          name: "s",
          score: 1.25,
          confidence: 0.5,
          probabilities: [
            { value: 0, label: "low", probability: 0.25 },
            { value: 1, label: "mid", probability: 0.25 },
            { value: 2, label: "2", probability: 0.5 },
          ],
        },
        { type: "refusal", name: "declined", reason: "unsafe" },
        { type: "refusal", name: null },
      ],
      usage: {
        input_tokens: 42,
        input_tokens_details: { cached_tokens: 7, cache_write_tokens: 3 },
        output_tokens: 0,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: 42,
      },
    });
  });

  test("never has a number that JSON cannot express", () => {
    const { decision } = read(HELLO);
    const answers = [{ type: "predicate", probability: Number.NaN }] as const;
    const result = { model: "m", usage: NO_USAGE, answers };
    expect(() => decisionsClient.encodeAnswer(result, decision)).toThrow(RangeError);
  });
});

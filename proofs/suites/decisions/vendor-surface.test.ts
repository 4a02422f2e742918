import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { LARGE_BYTES } from "../../../src/pipeline/request/sizes.ts";
import { Caller, type Json } from "../../support/calls.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { endedReceipt } from "../../support/receipts.ts";

/** The two surfaces of decisions (docs/rulings.md 174, 175): what public clients send is relayed, translated or refused by name. */

const SURFACES = ["specification", "vendor"] as const;
type Surface = (typeof SURFACES)[number];
const HEADER = "typesafe-danger-zone-images";

interface Asked {
  readonly path: string;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Json;
}

let vendor: ReturnType<typeof Bun.serve>;
const gateways = new Map<Surface, { gateway: Gateway; caller: Caller }>();
let asked: Asked[] = [];
/** What a vendor of System One says of a box. */
let box: unknown = null;

beforeAll(async () => {
  vendor = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const text = await request.text();
      const json = JSON.parse(text) as Json;
      const { pathname: path } = new URL(request.url);
      asked.push({ path, headers: request.headers, text, json });
      return Response.json(answerTo(path, json));
    },
  });
  const base_url = `http://127.0.0.1:${vendor.port}/v1`;
  const price = { input: 1 };
  const input_modalities = ["text", "image"];
  const config = {
    catalog: "none",
    vendors: {
      decisions: { protocol: "decisions", base_url },
      systemone: { protocol: "systemone", base_url },
      chat: { protocol: "chat-completions", base_url },
    },
    models: {
      "decisions/d": { kind: "decision", price, input_modalities },
      "systemone/d": { kind: "decision", price, input_modalities },
      "chat/c": { price: { input: 1, output: 1 }, input_modalities },
      "chat/d": { kind: "decision", price, input_modalities, decide_with: { engine: "logprobs", model: "chat/c" } },
    },
  };
  for (const surface of SURFACES) {
    const decisions = surface === "vendor" ? { decisions: { surface } } : {};
    const gateway = await startGateway({ config: JSON.stringify({ ...config, ...decisions }) });
    gateways.set(surface, { gateway, caller: new Caller(gateway, (await gateway.newKey()).key) });
  }
});

afterAll(async () => {
  for (const { gateway } of gateways.values()) await gateway[Symbol.asyncDispose]();
  await vendor.stop(true);
});

function answerTo(path: string, body: Json): unknown {
  const usage = { input_tokens: 40, output_tokens: 0 };
  if (path.endsWith("/decisions")) {
    const answers = (body.questions as Json[]).map(({ name = null }) => ({
      type: "predicate",
      name,
      probability: 0.75,
    }));
    return { model: "d", answers, usage };
  }
  if (path.endsWith("/systemone")) {
    const answers = Object.entries(body.questions as Record<string, Json>).map(([name, { type }]) => [
      name,
      type === "box" ? box : { type: "noul", noul: 0.75 },
    ]);
    return { model: "d", answers: Object.fromEntries(answers), usage };
  }
  const top_logprobs = ["A", "B"].map((token) => ({ token, logprob: Math.log(0.5), bytes: null }));
  const logprobs = { content: [{ token: "A", logprob: Math.log(0.5), bytes: null, top_logprobs }] };
  const message = { role: "assistant", content: "A" };
  const choices = [{ index: 0, message, logprobs, finish_reason: "stop" }];
  return {
    ...{ id: "c", object: "chat.completion", created: 1, model: "c", choices },
    usage: { prompt_tokens: 9, completion_tokens: 1 },
  };
}

async function call(surface: Surface, path: string, body: Json, headers: Record<string, string> = {}) {
  const { gateway, caller } = gateways.get(surface) ?? expect.unreachable();
  asked = [];
  const answer = await caller.post(path, body, headers);
  const receipt = () => endedReceipt(gateway, caller.key, answer.headers.get("x-request-id") ?? "");
  return { ...answer, receipt };
}

const PREDICATE = { type: "predicate", name: "a", instructions: "Is it?" };
const ADDRESS = "https://pictures.example/cat.png";
const PNG = "data:image/png;base64,iVBORw0KGgo=";
const CALL = {
  type: "function_call",
  id: "i",
  call_id: "c1",
  name: "look",
  namespace: "n",
  arguments: '{"at":1.0}',
  status: "completed",
};
const TOOL = { type: "custom_tool_call", call_id: "c2", name: "run", input: "ls" };
const BREAKPOINT = { prompt_cache_breakpoint: { mode: "explicit" } };
const text = (said: string, more: Json = {}) => ({ type: "input_text", text: said, ...more });
const user = (...content: unknown[]) => ({ role: "user", content });

/** Members of a `/v1/decisions` body that public clients send: what the model reads of each elsewhere, or which wish is left out. */
const WIDE: Readonly<
  Record<string, { body: Json; reads?: readonly string[]; wishes?: readonly string[]; only?: true }>
> = {
  "role developer": {
    body: { input: [{ role: "developer", content: "be just" }, user(text("hi"))] },
    reads: ["developer:", "be just", "user:", "hi"],
  },
  "role system": {
    body: { input: [{ type: "message", role: "system", content: [text("be just")] }] },
    reads: ["system:", "be just"],
  },
  "role assistant": { body: { input: [{ role: "assistant", content: "well" }] }, reads: ["assistant:", "well"] },
  "output_text, refusal and phase": {
    body: {
      input: [
        {
          role: "assistant",
          phase: "final_answer",
          content: [
            { type: "output_text", text: "well" },
            { type: "refusal", refusal: "no" },
          ],
        },
      ],
    },
    reads: ["assistant (final_answer):", "well", "no"],
  },
  "a call and its output": {
    body: { input: [user(text("hi")), CALL, { type: "function_call_output", call_id: "c1", output: "found it" }] },
    reads: ["call c1 of function n.look:", '{"at":1.0}', "output of call c1:", "found it"],
  },
  "a custom call and its output": {
    body: { input: [TOOL, { type: "custom_tool_call_output", call_id: "c2", output: [text("a.txt")] }] },
    reads: ["call c2 of tool run:", "ls", "output of call c2:", "a.txt"],
  },
  "an image by its address": {
    body: { input: [user(text("see"), { type: "input_image", image_url: ADDRESS })] },
    reads: ["see", ADDRESS],
  },
  "instructions of parts": {
    body: {
      input: "x",
      questions: [{ ...PREDICATE, instructions: [text("Is it"), { type: "input_json", data: { a: 1.0 } }] }],
    },
    reads: ["Is it"],
  },
  "instructions with an image": {
    body: {
      input: "x",
      questions: [{ ...PREDICATE, instructions: [text("Is it"), { type: "input_image", image_url: PNG }] }],
    },
    only: true,
  },
  prompt_cache_key: { body: { input: "x", prompt_cache_key: "k" }, wishes: ["prompt_cache_key"] },
  prompt_cache_options: {
    body: { input: "x", prompt_cache_options: { mode: "explicit", ttl: "30m" } },
    wishes: ["prompt_cache_options"],
  },
  "a breakpoint": {
    body: { input: [user(text("hi", BREAKPOINT))] },
    reads: ["hi"],
    wishes: ["prompt_cache_breakpoint"],
  },
};

const rows = Object.entries(WIDE).map(([name, row]) => [name, row] as const);
const asking = (body: Json, model: string) => ({ model, questions: [PREDICATE], ...body });

describe.each(rows)("%s", (_name, { body, reads = [], wishes = [], only }) => {
  test("is relayed to a vendor of decisions as it was written", async () => {
    const { status, text: said } = await call("vendor", "/v1/decisions", asking(body, "decisions/d"));
    expect([status, said.includes("0.75")]).toEqual([200, true]);
    const { model: _model, ...sent } = asking(body, "");
    expect(asked[0]?.json).toMatchObject(sent);
  });

  test.each(["systemone/d", "chat/d"])("reaches %s by what it says, or is refused by name", async (model) => {
    const { status, json, error, headers } = await call("vendor", "/v1/decisions", asking(body, model));
    if (only === true) {
      expect([status, error.code, error.param]).toEqual([400, "invalid_input", "questions[0].instructions"]);
      expect(asked).toEqual([]);
      return;
    }
    expect([status, json.model]).toEqual([200, model]);
    for (const words of reads) expect(JSON.stringify(asked[0]?.json)).toContain(JSON.stringify(words).slice(1, -1));
    const left_out = headers.get("x-camino-ignored")?.split(", ") ?? [];
    expect(left_out).toEqual([...wishes]);
    for (const name of wishes) expect(asked[0]?.text).not.toContain(name);
  });

  test.each(["decisions/d", "systemone/d", "chat/d"])(
    "is refused for %s on the specification's surface",
    async (model) => {
      const { status, error } = await call("specification", "/v1/decisions", asking(body, model));
      expect([status, ["unknown_parameter", "invalid_input"].includes(String(error.code))]).toEqual([400, true]);
      expect(asked).toEqual([]);
    },
  );
});

describe("what no public API has stays refused on the surface of vendors", () => {
  test.each<[string, Json, string, string]>([
    ["stream", { input: "x", stream: true }, "unknown_parameter", "stream"],
    ["instructions at the top", { input: "x", instructions: "y" }, "unknown_parameter", "instructions"],
    ["an unknown role", { input: [{ role: "tool", content: "x" }] }, "invalid_input", "input[0].role"],
    ["an unknown item", { input: [{ type: "reasoning" }] }, "invalid_input", "input[0].type"],
    [
      "a phase of a user's",
      { input: [{ role: "user", content: "x", phase: "commentary" }] },
      "unknown_parameter",
      "input[0].phase",
    ],
    [
      "an unknown phase",
      { input: [{ role: "assistant", content: "x", phase: "last" }] },
      "invalid_input",
      "input[0].phase",
    ],
    [
      "an image of a developer's",
      { input: [{ role: "developer", content: [{ type: "input_image", image_url: PNG }] }] },
      "invalid_input",
      "input[0].content[0].type",
    ],
    [
      "an output of no call",
      { input: [{ type: "function_call_output", call_id: "c", output: "" }] },
      "invalid_input",
      "input[0].call_id",
    ],
    [
      "an output of another kind of call",
      { input: [TOOL, { type: "function_call_output", call_id: "c2", output: "" }] },
      "invalid_input",
      "input[1].call_id",
    ],
    [
      "a call without its name",
      { input: [{ type: "function_call", call_id: "c", arguments: "" }] },
      "invalid_input",
      "input[0].name",
    ],
    [
      "a file's address",
      { input: [user({ type: "input_image", image_url: "file:///etc/passwd" })] },
      "invalid_input",
      "input[0].content[0].image_url",
    ],
    [
      "a lifetime of 12 h",
      { input: "x", prompt_cache_options: { ttl: "12h" } },
      "invalid_input",
      "prompt_cache_options.ttl",
    ],
    [
      "another option of the cache",
      { input: "x", prompt_cache_options: { size: 1 } },
      "unknown_parameter",
      "prompt_cache_options.size",
    ],
    [
      "an implicit breakpoint",
      { input: [user(text("x", { prompt_cache_breakpoint: { mode: "implicit" } }))] },
      "invalid_input",
      "input[0].content[0].prompt_cache_breakpoint.mode",
    ],
    [
      "a breakpoint in a question",
      { input: "x", questions: [{ ...PREDICATE, instructions: [text("x", BREAKPOINT)] }] },
      "unknown_parameter",
      "questions[0].instructions[0].prompt_cache_breakpoint",
    ],
    [
      "a box",
      { input: "x", questions: [{ type: "box", instructions: "Where?" }] },
      "invalid_question_type",
      "questions[0].type",
    ],
    [
      "no parts in instructions",
      { input: "x", questions: [{ ...PREDICATE, instructions: [] }] },
      "invalid_input",
      "questions[0].instructions",
    ],
  ])("%s", async (_what, body, code, param) => {
    const { status, error } = await call("vendor", "/v1/decisions", asking(body, "decisions/d"));
    expect([status, error.code, error.param]).toEqual([400, code, param]);
  });

  test("an unknown member of /v1/systemone", async () => {
    const body = {
      model: "systemone/d",
      state: "x",
      questions: { a: { type: "noul", instructions: "?" } },
      temperature: 0,
    };
    expect((await call("vendor", "/v1/systemone", body)).error.code).toBe("unknown_parameter");
  });
});

const KEYED = (question: Json) => ({ state: "x", images: [PNG], questions: { a: question } });
const WIDE_KEYED: Readonly<Record<string, Json>> = {
  "a box": KEYED({ type: "box", instructions: "The cat" }),
  "no instructions": KEYED({ type: "noul", criteria: { true: "a cat" } }),
  "null instructions": KEYED({ type: "noul", instructions: null, criteria: { true: "a cat" } }),
  "a state of null": { state: null, questions: { a: { type: "noul", instructions: "?" } } },
  "an image by its address": {
    state: [{ type: "image_url", image_url: { url: ADDRESS } }],
    questions: { a: { type: "noul", instructions: "?" } },
  },
};

describe.each(Object.entries(WIDE_KEYED))("on /v1/systemone %s", (name, body) => {
  test("is relayed on the surface of vendors alone", async () => {
    box = { type: "box", box: { top: 0.1, bottom: 0.5, left: 0.25, right: 1.0 }, confidence: 0.5 };
    const { status } = await call("vendor", "/v1/systemone", { model: "systemone/d", ...body });
    expect(status).toBe(200);
    if (name === "an image by its address") expect(asked[0]?.text).toContain(ADDRESS);
    else expect(asked[0]?.json).toMatchObject(body);
    const refused = await call("specification", "/v1/systemone", { model: "systemone/d", ...body });
    expect([refused.status, asked.length]).toEqual([400, 0]);
  });

  const only_there = ["a box", "no instructions", "null instructions"].includes(name);
  test.each(["decisions/d", "chat/d"])("is refused by name, or said in other words, for %s", async (model) => {
    const { status, error } = await call("vendor", "/v1/systemone", { model, ...body });
    if (!only_there) return expect(status).toBe(200);
    const [code, param] =
      name === "a box" ? ["invalid_question_type", "questions.a.type"] : ["invalid_input", "questions.a.instructions"];
    expect([status, error.code, error.param]).toEqual([400, code, param]);
    expect(asked).toEqual([]);
  });
});

describe("a box", () => {
  const BOX = {
    model: "systemone/d",
    state: "x",
    images: [PNG],
    questions: { a: { type: "box", instructions: "The cat" } },
  };
  const edges = (more: Json) => ({ top: 0.1, bottom: 0.5, left: 0.25, right: 1, ...more });

  test.each([
    ["edges in the answer", { type: "box", ...edges({}) }],
    ["edges in an object", { type: "box", box: edges({ top: 0, left: 0 }), confidence: 0.5 }],
  ])("of %s goes to the client as its vendor wrote it, and is charged", async (_what, said) => {
    box = said;
    const { status, json, receipt } = await call("vendor", "/v1/systemone", BOX);
    expect([status, json.answers]).toEqual([200, { a: said }]);
    expect(await receipt()).toMatchObject({ charge_micro: 40, status: "settled" });
  });

  test.each<[string, unknown]>([
    ["no edges", { type: "box" }],
    ["an edge too few", { type: "box", ...edges({ right: undefined }) }],
    ["an edge above 1", { type: "box", ...edges({ bottom: 1.5 }) }],
    ["an edge below 0", { type: "box", ...edges({ left: -0.5 }) }],
    ["top below bottom", { type: "box", ...edges({ top: 0.75 }) }],
    ["no height", { type: "box", ...edges({ top: 0.5 }) }],
    ["right before left", { type: "box", box: edges({ right: 0.125 }) }],
    ["an edge as text", { type: "box", ...edges({ top: "0.1" }) }],
    ["another type", { type: "noul", noul: 0.5 }],
    ["nothing", null],
  ])("of %s is no answer, and free", async (_what, said) => {
    box = said;
    const { status, error, receipt } = await call("vendor", "/v1/systemone", BOX);
    expect([status, error.code]).toEqual([502, "upstream_invalid_response"]);
    expect(await receipt()).toMatchObject({ charge_micro: 0 });
  });

  test("may be refused by its model", async () => {
    box = { type: "refusal", reason: "no cat" };
    expect((await call("vendor", "/v1/systemone", BOX)).json.answers).toEqual({ a: box });
  });
});

describe.each(SURFACES)("the header for images on the surface %s", (surface) => {
  const bodies = {
    "/v1/decisions": { input: [user({ type: "input_image", image_url: PNG })], questions: [PREDICATE] },
    "/v1/systemone": { state: "x", images: [PNG], questions: { a: { type: "noul", instructions: "?" } } },
  };
  test.each(Object.entries(bodies))("goes from %s to vendors of System One, and to no others", async (path, body) => {
    for (const [model, value] of [
      ["systemone/d", "true"],
      ["decisions/d", null],
      ["chat/d", null],
    ] as const) {
      await call(surface, path, { model, ...body }, { "TypeSafe-Danger-Zone-Images": "true" });
      expect([model, asked[0]?.headers.get(HEADER) ?? null]).toEqual([model, value]);
    }
  });

  test("goes there with a large body, too", async () => {
    const body = { model: "systemone/d", ...bodies["/v1/systemone"], state: "x".repeat(LARGE_BYTES) };
    const { status } = await call(surface, "/v1/systemone", body, { [HEADER]: "true" });
    expect([status, asked[0]?.headers.get(HEADER)]).toEqual([200, "true"]);
  });
});

describe("questions", () => {
  const many = (count: number) => Array.from({ length: count }, () => ({ type: "predicate", instructions: "?" }));
  test.each(SURFACES)("may be 400 and no more on the surface %s", async (surface) => {
    const ask = (count: number) =>
      call(surface, "/v1/decisions", { model: "decisions/d", input: "x", questions: many(count) });
    expect((await ask(400)).status).toBe(200);
    expect((await ask(401)).error).toMatchObject({ code: "invalid_input", param: "questions" });
  });
});

test("a large body has all of it, too", async () => {
  const long = "x ".repeat(LARGE_BYTES / 2);
  const body: Json = {
    input: [
      { role: "developer", content: long },
      CALL,
      { type: "function_call_output", call_id: "c1", output: [text("y")] },
    ],
    ...{ prompt_cache_key: "k", questions: [{ ...PREDICATE, instructions: [text("Is it"), text("so?")] }] },
  };
  const relayed = await call("vendor", "/v1/decisions", { model: "decisions/d", ...body });
  expect(relayed.status).toBe(200);
  expect(asked[0]?.json).toMatchObject(body);
  for (const model of ["systemone/d", "chat/d"]) {
    const { status, headers } = await call("vendor", "/v1/decisions", { model, ...body });
    expect([status, headers.get("x-camino-ignored")]).toEqual([200, "prompt_cache_key"]);
    for (const words of ["developer:", "call c1 of function n.look:", "Is it\\nso?"])
      expect(asked[0]?.text).toContain(words);
  }
  const { error } = await call("vendor", "/v1/systemone", {
    ...{ model: "chat/d", state: long, images: [PNG], questions: { a: { type: "box", instructions: "?" } } },
  });
  expect(error).toMatchObject({ code: "invalid_question_type", param: "questions.a.type" });
});

test("the hold covers images of the input and of questions", async () => {
  const image = { type: "input_image", image_url: `data:image/png;base64,${"A".repeat(60_000)}` };
  const held = async (body: Json) =>
    (await (await call("vendor", "/v1/decisions", { model: "decisions/d", ...body })).receipt()).hold_micro;
  const none = await held({ input: "x", questions: [PREDICATE] });
  const in_input = await held({ input: [user(text("x"), image)], questions: [PREDICATE] });
  const in_question = await held({ input: "x", questions: [{ ...PREDICATE, instructions: [text("Is it?"), image] }] });
  expect(in_input).toBeGreaterThan(none);
  // Both hold the same for the image, and not for its bytes.
  expect(Math.abs(in_question - in_input)).toBeLessThan(200);
});

test("the types of OpenAI's own client are taken", async () => {
  const { gateway, caller } = gateways.get("vendor") ?? expect.unreachable();
  const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: caller.key, maxRetries: 0 });
  const decision = await client.decisions.create({
    model: "decisions/d",
    input: [
      { role: "system", content: "be just" },
      {
        role: "user",
        content: [
          { type: "input_image", image_url: ADDRESS, detail: "low", prompt_cache_breakpoint: { mode: "explicit" } },
        ],
      },
      { type: "function_call", call_id: "c", name: "look", arguments: "{}" },
      { type: "function_call_output", call_id: "c", output: [{ type: "input_text", text: "found" }] },
    ],
    prompt_cache_options: { mode: "implicit", ttl: "30m" },
    questions: [{ type: "predicate", name: "a", instructions: [{ type: "input_text", text: "Is it?" }] }],
  });
  expect(decision.answers).toEqual([{ type: "predicate", name: "a", probability: 0.75 }]);
});

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Ran, runCamino, runHere } from "../../support/camino.ts";
import { type Gateway, startGateway, type TestKey } from "../../support/gateway.ts";
import { STATE } from "./support/questions.ts";

/** `camino decide` against a gateway that nobody configured: the first run's decision models answer. */

let gateway: Gateway;
let key: TestKey;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "camino-decide-"));
  gateway = await startGateway();
  key = await gateway.newKey();
});

afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const run_before = new Set<string>();

/** The first run of each kind is a process of its own, as for a user; later runs of the kind are in this process. */
function decideAs(kind: string, words: readonly string[]): Promise<Ran> {
  const run = run_before.has(kind) ? runHere : runCamino;
  run_before.add(kind);
  return run(["decide", ...words], { cwd: folder, env: { CAMINO_URL: gateway.url, CAMINO_API_KEY: key.key } });
}

const decide = (...words: string[]): Promise<Ran> =>
  decideAs(words.includes("--json") ? "answered with --json" : "answered", words);

const MODELS = ["sim/decider", "sim/judge-decider"];

const QUESTIONS = [
  ...["--choice", "Which team?", "--options", "billing=charged order refunded, delivery=parcel late"],
  ...["--yes-no", "The customer was charged twice."],
  ...["--score", "How angry?", "--levels", "calm,charged twice,furious"],
];

describe.each(MODELS)("camino decide, asking %s", (model) => {
  test("prints every answer for people, in the order of the options", async () => {
    const { status, stdout, stderr } = await decide("--model", model, "--input", STATE, ...QUESTIONS);
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(
      /^Which team\? {2}billing \(confidence 0\.\d{3}\)\n {2}billing +0\.\d{3}\n {2}delivery +0\.\d{3}\n\n/,
    );
    expect(stdout).toMatch(/\nThe customer was charged twice\.\n {2}yes +0\.\d{3}\n {2}no +0\.\d{3}\n\n/);
    expect(stdout).toMatch(
      /\nHow angry\? {2}\d\.\d{3} \(confidence 0\.\d{3}\)\n {2}calm +0\.\d{3}\n {2}charged twice +0\.\d{3}\n/,
    );
    expect(stdout).toEndWith(" input tokens\n");
  });

  test("prints the API's own answer with --json", async () => {
    const { status, stdout } = await decide("--model", model, "--input", STATE, ...QUESTIONS, "--json");
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      model,
      answers: [{ type: "choice", choice: "billing" }, { type: "predicate" }, { type: "score" }],
      usage: { output_tokens: 0 },
    });
  });
});

test("the input may be a file", async () => {
  await Bun.write(join(folder, "state.txt"), STATE);
  const given = await decide("--model", "sim/decider", "--input", STATE, "--yes-no", "Charged twice?", "--json");
  const read = await decide("--model", "sim/decider", "--input", "@state.txt", "--yes-no", "Charged twice?", "--json");
  expect(read).toEqual(given);
});

test.each(["-", "@-"])("the input may be the standard input, as %s", async (input) => {
  const words = ["decide", "--model", "sim/decider", "--yes-no", "Charged twice?", "--json", "--input"];
  const env = { CAMINO_URL: gateway.url, CAMINO_API_KEY: key.key };
  const given = await runCamino([...words, STATE], { cwd: folder, env });
  expect(await runCamino([...words, input], { cwd: folder, env, stdin: STATE })).toEqual(given);
});

test("a refusal by the model is an answer", async () => {
  const { status, stdout } = await decide("--model", "sim/decider-refusing", "--input", STATE, "--yes-no", "Is it?");
  expect(status).toBe(0);
  expect(stdout).toMatch(/^Is it\? {2}refused/);
});

describe("camino request show", () => {
  const show = (run: typeof runCamino, ...words: string[]) =>
    run(["request", "show", ...words, "--url", gateway.url, "--data", gateway.data], { cwd: folder });

  test("prints a decision's receipt with what the engine's own calls cost", async () => {
    const questions = [{ type: "predicate", instructions: "Is it?" }];
    const answer = await fetch(`${gateway.url}/v1/decisions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key.key}`, "x-request-id": "mine-1" },
      body: JSON.stringify({ model: "sim/judge-decider", input: STATE, questions }),
    });
    const id = answer.headers.get("x-camino-request-id") ?? "";
    const { status, stdout } = await show(runCamino, "mine-1");
    expect(status).toBe(0);
    expect(stdout).toContain(id);
    expect(stdout).toMatch(/\nengine's calls +0\.\d{2,6} USD\n/);
    expect(stdout).toMatch(
      /\nvendor +model +status +error +calls +failures +began ms +ms\nsim +judge +200 +2 +0 +\d+ +\d+\n/,
    );
    const { stdout: json } = await show(runHere, id, "--json");
    expect(JSON.parse(json)).toMatchObject({ id, upstream_cost_micro: expect.any(Number), attempts: [{ calls: 2 }] });
  });

  test("reports that no request has the id", async () => {
    const { status, stderr } = await show(runHere, "req_none");
    expect([status, stderr]).toEqual([1, expect.stringContaining("req_none")]);
  });
});

describe("an error is one sentence", () => {
  const MODEL = ["--model", "sim/decider", "--input", "x"];
  test.each([
    ["no question", MODEL, "Ask something"],
    ["options without a choice", [...MODEL, "--options", "a,b"], "after each --choice"],
    ["a choice without options", [...MODEL, "--choice", "Which?"], '--choice "Which?" needs --options'],
    ["a score without levels", [...MODEL, "--score", "How?"], '--score "How?" needs --levels'],
    ["one option", [...MODEL, "--choice", "Which?", "--options", "a"], "2 to 255 names"],
    ["eleven levels", [...MODEL, "--score", "How?", "--levels", "a,b,c,d,e,f,g,h,i,j,k"], "2 to 10 names"],
    ["no model", ["--input", "x", "--yes-no", "?"], "--model"],
  ])("%s is wrong usage", async (_what, words, sentence) => {
    const { status, stdout, stderr } = await decideAs("used wrongly", words);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(sentence);
  });

  test.each([
    ["a model that chats", ["--model", "sim/judge", "--input", "x", "--yes-no", "?"], "is a chat model"],
    ["an answer that is none", ["--model", "sim/decider-incomplete", "--input", "x", "--yes-no", "?"], ""],
    ["a file that is not there", ["--model", "sim/decider", "--input", "@none", "--yes-no", "?"], "cannot be read"],
    ["a forged key", ["--model", "sim/decider", "--input", "x", "--yes-no", "?", "--key", "cm-1"], "key"],
    [
      "no gateway",
      ["--model", "m", "--input", "x", "--yes-no", "?", "--url", "http://127.0.0.1:1"],
      "No gateway answers",
    ],
  ])("%s is a failure", async (_what, words, sentence) => {
    const { status, stdout, stderr } = await decideAs("failed", words);
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^camino: .+\n$/);
    expect(stderr).toContain(sentence);
  });

  test("a missing key is reported with how to get one", async () => {
    const words = ["decide", "--model", "m", "--input", "x", "--yes-no", "?", "--json", "--url", gateway.url];
    const { status, stdout, stderr } = await runHere(words, { cwd: folder });
    expect([status, JSON.parse(stdout)]).toMatchObject([1, { error: { code: "missing_api_key" } }]);
    expect(stderr).toContain("camino key create");
  });
});

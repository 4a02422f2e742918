import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { Caller } from "../../support/calls.ts";
import { freePort } from "../../support/free-port.ts";
import { type SimulatedGateway, startSimulatedGateway } from "../../support/simulated-gateway.ts";

/** The two programs of docs/how-to/check-requests-with-a-hook.md, as they are written there, beside a gateway that asks them. */

/** The programs are for Node.js, of which the oldest supported version is tried wherever it is installed. */
const NODE = Bun.which("node") ?? process.execPath;
const RECIPE = join(import.meta.dir, "../../../docs/how-to/check-requests-with-a-hook.md");
const MODELS = {
  "acme/echo": { upstream_model: "echo" },
  "acme/moderator": { kind: "moderation", price: { input: 0 }, upstream_model: "moderator-uncounted" },
};

interface Recipe extends AsyncDisposable {
  readonly scene: SimulatedGateway;
  readonly caller: Caller;
}

/** A gateway that asks the program of this name. */
async function startRecipe(name: string): Promise<Recipe> {
  const text: string = await Bun.file(RECIPE).text();
  const programs = [...text.matchAll(/```js\n(.*?)```/gs)].map(([, program = ""]) => program);
  const program = programs.find((each) => each.startsWith(`// ${name}:`)) ?? "";
  const port = freePort();
  const before = { url: `http://127.0.0.1:${port}/check`, deadline: "20s" };
  const scene = await startSimulatedGateway({ models: MODELS, sections: { hooks: { before } } });
  const { key } = await scene.gateway.newKey({ credit: "5" });
  const path = join(scene.gateway.data, name);
  await Bun.write(path, program);
  const env = {
    PORT: String(port),
    CAMINO_URL: scene.gateway.url,
    CAMINO_API_KEY: key,
    MODERATION_MODEL: "acme/moderator",
  };
  const child = Bun.spawn([NODE, path], { env, stdin: "ignore", stdout: "ignore", stderr: "inherit" });
  for (;;) {
    const answer = await fetch(before.url, { method: "POST", body: '{"endpoint":"moderations","body":{}}' }).catch(
      () => null,
    );
    if (answer?.ok) break;
    await Bun.sleep(20);
  }
  return {
    scene,
    caller: new Caller(scene.gateway, key),
    [Symbol.asyncDispose]: async () => {
      await scene[Symbol.asyncDispose]();
      child.kill();
      await child.exited;
    },
  };
}

let mask: Recipe;
let moderate: Recipe;

beforeAll(async () => {
  mask = await startRecipe("mask.mjs");
  moderate = await startRecipe("moderate.mjs");
});
afterAll(async () => {
  await mask[Symbol.asyncDispose]();
  await moderate[Symbol.asyncDispose]();
});

test.each([
  ["Write to ada.l+x@example.co.uk at once.", "Write to [email] at once."],
  ["Card 4111 1111 1111 1111, please.", "Card [card], please."],
  ["Call +44 (0)20 7946-0958 now.", "Call [phone] now."],
  ["In 2026 we sold 1500 pieces.", "In 2026 we sold 1500 pieces."],
])("personal data is masked before a vendor sees it: %s", async (content, seen) => {
  for (const [path, body] of [
    ["/v1/chat/completions", { messages: [{ role: "user", content: [{ type: "text", text: content }] }] }],
    ["/v1/responses", { input: content }],
  ] as const) {
    expect((await mask.caller.post(path, { model: "acme/echo", ...body })).status).toBe(200);
    const sent = mask.scene.simulator.log.requests.at(-1)?.text ?? "";
    expect([sent.includes(seen), seen === content || !sent.includes(content)]).toEqual([true, true]);
  }
});

test("what a moderation model flags is refused, and the rest goes on", async () => {
  const ask = (content: string) =>
    moderate.caller.post("/v1/chat/completions", { model: "acme/echo", messages: [{ role: "user", content }] });
  expect((await ask("Good morning!")).status).toBe(200);
  const refused = await ask("I want to kill them");
  expect([refused.status, refused.error.code]).toEqual([400, "refused_by_policy"]);
  expect(String(refused.error.message)).toContain("This cannot be asked here: ");
});

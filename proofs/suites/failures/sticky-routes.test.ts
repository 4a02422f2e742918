import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ReceiptDetail } from "../../../contract/requests.ts";
import type { TestKey } from "../../support/gateway.ts";
import { ConsoleCaller } from "../administration/support/console.ts";
import { type Scene, startScene } from "./support/scene.ts";

/** A conversation keeps its route and its credential (docs/rulings.md 181), and how others are picked (182). */

let scene: Scene;
let admin: ConsoleCaller;
let key: TestKey;

const VENDORS = ["four", "one", "loose", "moving", "both", "quick", "cheap"];
const keysOf = (vendor: string, count: number) =>
  Array.from({ length: count }, (_, at) => ({ key: `sk-${vendor}-${at + 1}-0123456789` }));
const CACHED = "echo@cache=prefix";

beforeAll(async () => {
  scene = await startScene({
    vendors: {
      ...Object.fromEntries(VENDORS.map((id) => [id, { api_key: null, api_keys: keysOf(id, 4) }])),
      one: {},
      slow: {},
      dear: {},
    },
    models: {
      "four/echo": { upstream_model: CACHED },
      "one/echo": { upstream_model: CACHED },
      "loose/echo": { upstream_model: CACHED, routing: { sticky: "off" } },
      "moving/echo": { upstream_model: CACHED },
      "both/echo": { upstream_model: CACHED },
      "quick/echo": {
        routes: [
          { vendor: "slow", upstream_model: "echo@first_ms=80&case=pick" },
          { vendor: "one", upstream_model: "echo@case=pick" },
        ],
        routing: { pick: "latency" },
      },
      "cheap/echo": {
        routes: [
          { vendor: "dear", upstream_model: "echo@case=dear", cost: { input: "3.00", output: "15.00" } },
          { vendor: "one", upstream_model: "echo@case=cheap", cost: { input: "1.00", output: "4.00" } },
        ],
        routing: { pick: "cost" },
      },
    },
  });
  admin = await ConsoleCaller.of(scene.gateway);
  key = await scene.newKey({ credit: "1000" });
});

afterAll(() => scene[Symbol.asyncDispose]());

const WAYS = ["chat", "responses", "messages"] as const;
type Way = (typeof WAYS)[number];
interface Turn {
  readonly role: "user" | "assistant";
  readonly content: string;
}

const BODIES: Readonly<Record<Way, (model: string, system: string, turns: readonly Turn[]) => object>> = {
  chat: (model, content, turns) => ({ model, messages: [{ role: "system", content }, ...turns] }),
  responses: (model, instructions, input) => ({ model, instructions, input, store: false }),
  messages: (model, system, messages) => ({ model, system, messages, max_tokens: 50 }),
};
const PATHS = { chat: "/v1/chat/completions", responses: "/v1/responses", messages: "/v1/messages" };

async function send(way: Way, body: object, headers: Record<string, string> = {}) {
  const answer = await fetch(scene.gateway.url + PATHS[way], {
    method: "POST",
    headers: {
      authorization: `Bearer ${key.key}`,
      "content-type": "application/json",
      "anthropic-version": "2023-06-01",
      ...headers,
    },
    body: JSON.stringify(body),
  });
  await answer.text();
  expect(answer.status).toBe(200);
  const sent: Readonly<Record<string, string>> = scene.simulator.log.last?.headers ?? {};
  const credential = sent["x-api-key"] ?? sent.authorization?.replace("Bearer ", "") ?? "";
  const usage = scene.simulator.log.last?.usage ?? null;
  return { credential, read: usage?.cache_read ?? 0, id: answer.headers.get("x-camino-request-id") ?? "" };
}

/** A conversation of so many turns: the tokens read from cache, and the credentials in their order. */
async function converse(way: Way, model: string, turns: number, name: string) {
  const said: Turn[] = [];
  const asked: { readonly credential: string; readonly read: number; readonly id: string }[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    said.push({ role: "user", content: `${name}: what is ${turn} and something more?` });
    asked.push(await send(way, BODIES[way](model, `You are a helpful assistant of many words, ${name}.`, said)));
    said.push({ role: "assistant", content: `It is ${turn}.` });
  }
  return {
    asked,
    read: asked.reduce((sum, { read }) => sum + read, 0),
    credentials: asked.map((each) => each.credential),
  };
}

const detail = async (id: string) => {
  await scene.ended(id);
  return await admin.read(ReceiptDetail, `GET /requests/${id}`);
};

describe.each(WAYS)("a conversation of 20 turns, %s", (way) => {
  test("reads from cache over four credentials as often as with one", async () => {
    const alone = await converse(way, "one/echo", 20, `a ${way}`);
    const spread = await converse(way, "four/echo", 20, `a ${way}`);
    expect(new Set(spread.credentials).size).toBe(1);
    expect(spread.read).toBe(alone.read);
    expect(spread.asked.filter(({ read }) => read > 0)).toHaveLength(19);
    const { attempts } = await detail(spread.asked[5]?.id ?? "");
    expect(attempts[0]?.why).toBe("conversation");
  });
});

test("conversations are spread over all credentials", async () => {
  const used = new Set<string>();
  for (let n = 0; n < 40; n += 1)
    for (const each of (await converse("chat", "four/echo", 1, `n ${n}`)).credentials) used.add(each);
  expect(used.size).toBe(4);
});

test("with `sticky: off` each request is drawn for itself", async () => {
  const { credentials, asked } = await converse("chat", "loose/echo", 20, "off");
  expect(new Set(credentials).size).toBeGreaterThan(1);
  expect((await detail(asked[0]?.id ?? "")).attempts[0]?.why).toBe("weight");
});

test("a failure moves a conversation once, and it stays where it moved", async () => {
  const said = { chat: "moves" };
  const turn = () => send("chat", BODIES.chat("moving/echo", "system", [{ role: "user", content: said.chat }]));
  const { credential: home } = await turn();
  // So short a rest that it is over when the conversation goes on.
  scene.simulator.refused.set(home, { status: 429, headers: { "retry-after": "1" } });
  const moved = await turn();
  expect(moved.credential).not.toBe(home);
  expect((await detail(moved.id)).attempts.map(({ why }) => why)).toEqual(["conversation", "next"]);
  scene.simulator.refused.clear();
  await Bun.sleep(1100);
  const later = await turn();
  expect(later.credential).toBe(moved.credential);
  expect((await detail(later.id)).attempts[0]?.why).toBe("kept");
  scene.simulator.refused.set(moved.credential, { status: 401 });
  const again = await turn();
  expect(again.credential).not.toBe(moved.credential);
  scene.simulator.refused.clear();
  expect((await turn()).credential).toBe(again.credential);
  const passed = (await detail((await turn()).id)).attempts[0];
  expect(passed?.passed_over).toBeUndefined();
});

describe("a conversation is told", () => {
  const turns = (n: number): Turn[] => [{ role: "user", content: `another beginning ${n}` }];

  test("by prompt_cache_key, whatever it begins with", async () => {
    const used = new Set<string>();
    for (let n = 0; n < 12; n += 1)
      used.add(
        (await send("chat", { ...BODIES.chat("both/echo", "s", turns(n)), prompt_cache_key: "mine" })).credential,
      );
    expect(used.size).toBe(1);
  });

  test.each([
    "x-session-id",
    "session_id",
    "session-id",
    "conversation_id",
    "x-session-affinity",
    "x-claude-code-session-id",
  ])("by the header %s", async (name) => {
    const used = new Set<string>();
    for (let n = 0; n < 12; n += 1)
      used.add((await send("messages", BODIES.messages("both/echo", "s", turns(n)), { [name]: "s1" })).credential);
    expect(used.size).toBe(1);
  });

  test("by its beginning also where its body is large, and where marks of a cache move", async () => {
    const used = new Set<string>();
    const long = "word ".repeat(140_000);
    for (let n = 0; n < 4; n += 1) {
      const first = { type: "text", text: long, ...(n === 0 && { cache_control: { type: "ephemeral" } }) };
      const later = Array.from({ length: n }, () => [
        { role: "assistant", content: "yes" },
        { role: "user", content: "and?" },
      ]).flat();
      const body = { model: "both/echo", max_tokens: 20, messages: [{ role: "user", content: [first] }, ...later] };
      used.add((await send("messages", body)).credential);
    }
    expect(used.size).toBe(1);
  });
});

test("by latency the faster of two answers new conversations, and one that has begun stays", async () => {
  const vendors: string[] = [];
  for (let n = 0; n < 12; n += 1) {
    const { id } = await send("chat", BODIES.chat("quick/echo", "s", [{ role: "user", content: `new ${n}` }]));
    vendors.push((await detail(id)).attempts[0]?.vendor ?? "");
  }
  expect(vendors.slice(2)).toEqual(Array.from({ length: 10 }, () => "one"));
  const { id } = await send("chat", BODIES.chat("quick/echo", "s", [{ role: "user", content: "new 0" }]));
  expect((await detail(id)).attempts[0]).toMatchObject({ vendor: vendors[0], why: "kept" });
});

test("by cost the cheapest answers", async () => {
  for (let n = 0; n < 6; n += 1) {
    const { id } = await send("chat", BODIES.chat("cheap/echo", "s", [{ role: "user", content: `cheap ${n}` }]));
    expect((await detail(id)).attempts[0]).toMatchObject({ vendor: "one", why: "cost" });
  }
});

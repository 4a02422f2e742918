import { readFileSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * What one request can cost (docs/security.md): sends requests that are large in one way each to a gateway in a process
 * of its own, and prints a table of the time that each takes on the serving thread, of how long `/healthz` waits beside
 * it, and of the memory. `--of FOLDER` measures the gateway of another checkout, `--only WORDS` the requests whose names
 * contain the words.
 */

type Json = Record<string, unknown>;

interface Case {
  readonly name: string;
  readonly path: string;
  readonly body: () => string;
}

const times = <Item>(count: number, make: (at: number) => Item): Item[] =>
  Array.from({ length: count }, (_, at) => make(at));
const members = (count: number, value: unknown): Json =>
  Object.fromEntries(times(count, (at) => [`member_${at}`, value]));
const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;

const user = { role: "user", content: "Hi" };
const chat = (model: string, body: Json): string => JSON.stringify({ model, messages: [user], ...body });
const calls = (count: number) =>
  times(count, (at) => ({ id: `call_${at}`, type: "function", function: { name: "look", arguments: "{}" } }));
const results = (count: number, of: number) =>
  times(count, (at) => ({ role: "tool", tool_call_id: `call_${of - 1 - (at % of)}`, content: "ok" }));
const tools = (count: number) => [
  {
    type: "function",
    function: {
      name: "look",
      parameters: {
        type: "object",
        properties: members(count, { type: "string" }),
        required: times(count, (at) => `member_${at}`),
        additionalProperties: false,
      },
    },
  },
];
const format = (count: number) => ({
  response_format: {
    type: "json_schema",
    json_schema: { name: "answer", schema: tools(count)[0]?.function.parameters },
  },
});
const inMember = (body: string, member: string, value: string) => `${body.slice(0, -1)},"${member}":${value}}`;

const CHAT = "/v1/chat/completions";
const RELAYED = "chatty/m";
const TRANSLATED = "wordy/m";

const CASES: readonly Case[] = [
  { name: "a greeting", path: CHAT, body: () => chat(RELAYED, {}) },
  {
    name: "80,000 calls, 150,000 results",
    path: CHAT,
    body: () =>
      chat(RELAYED, { messages: [{ role: "assistant", tool_calls: calls(80_000) }, ...results(150_000, 80_000)] }),
  },
  {
    name: "80,000 calls, 80,000 results",
    path: CHAT,
    body: () =>
      chat(RELAYED, { messages: [{ role: "assistant", tool_calls: calls(80_000) }, ...results(80_000, 80_000)] }),
  },
  {
    name: "80,000 calls, 80,000 results, translated",
    path: CHAT,
    body: () =>
      chat(TRANSLATED, { messages: [{ role: "assistant", tool_calls: calls(80_000) }, ...results(80_000, 80_000)] }),
  },
  { name: "a tool's schema of 80,000 properties", path: CHAT, body: () => chat(RELAYED, { tools: tools(80_000) }) },
  {
    name: "an answer's schema of 80,000 properties, translated",
    path: CHAT,
    body: () => chat(TRANSLATED, format(80_000)),
  },
  {
    name: "1,100,000 messages, the last wrong",
    path: CHAT,
    body: () =>
      chat(RELAYED, { messages: [...times(1_100_000, () => ({ role: "user", content: "" })), { role: "user" }] }),
  },
  {
    name: "99,999 messages and a wrong one",
    path: CHAT,
    body: () => chat(RELAYED, { messages: [...times(99_999, () => user), { role: "user" }] }),
  },
  { name: "100,000 messages", path: CHAT, body: () => chat(RELAYED, { messages: times(100_000, () => user) }) },
  {
    name: "100,000 messages, translated",
    path: CHAT,
    body: () => chat(TRANSLATED, { messages: times(100_000, () => user) }),
  },
  {
    name: "1,000,000 blocks",
    path: CHAT,
    body: () =>
      chat(TRANSLATED, { messages: [{ role: "user", content: times(1_000_000, () => ({ type: "text", text: "" })) }] }),
  },
  {
    name: "2,000,000 members",
    path: CHAT,
    body: () => `${chat(RELAYED, {}).slice(0, -1)},${times(2_000_000, (at) => `"m${at}":1`).join(",")}}`,
  },
  {
    name: "19,990 unknown members, translated",
    path: CHAT,
    body: () => chat(TRANSLATED, members(19_990, 1)),
  },
  {
    name: "200,000 levels in an unknown member",
    path: CHAT,
    body: () => inMember(chat(TRANSLATED, {}), "unknown", nested(200_000)),
  },
  {
    name: "200,000 levels in the metadata",
    path: "/v1/responses",
    body: () => inMember(JSON.stringify({ model: TRANSLATED, input: "Hi" }), "metadata", `{"a":${nested(200_000)}}`),
  },
  {
    name: "200,000 levels in a call's input",
    path: "/v1/messages",
    body: () =>
      JSON.stringify({
        model: RELAYED,
        max_tokens: 10,
        messages: [
          { role: "assistant", content: [{ type: "tool_use", id: "a", name: "look", input: { a: 0 } }] },
          user,
        ],
      }).replace('{"a":0}', `{"a":${nested(200_000)}}`),
  },
  {
    name: "100,000 items, translated",
    path: "/v1/responses",
    body: () => JSON.stringify({ model: TRANSLATED, input: times(100_000, () => user) }),
  },
  {
    name: "100,000 turns, relayed",
    path: "/v1/messages",
    body: () => JSON.stringify({ model: TRANSLATED, max_tokens: 10, messages: times(100_000, () => user) }),
  },
  {
    name: "31 MB of text",
    path: CHAT,
    body: () => chat(RELAYED, { messages: [{ role: "user", content: "a ".repeat(15_500_000) }] }),
  },
  {
    name: "31 MB of text, translated",
    path: CHAT,
    body: () => chat(TRANSLATED, { messages: [{ role: "user", content: "a ".repeat(15_500_000) }] }),
  },
];

/** A vendor that reads everything and answers briefly. */
function startVendor() {
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  return Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    maxRequestBodySize: 2 ** 30,
    async fetch(request) {
      await request.arrayBuffer();
      if (new URL(request.url).pathname.endsWith("/messages"))
        return Response.json({
          ...{
            id: "msg_1",
            type: "message",
            role: "assistant",
            model: "m",
            content: [{ type: "text", text: "Hello" }],
          },
          ...{ stop_reason: "end_turn", usage: { input_tokens: 1, output_tokens: 1 } },
        });
      const message = { role: "assistant", content: "Hello" };
      return Response.json({
        ...{ id: "c", object: "chat.completion", created: 1, model: "m", usage },
        choices: [{ index: 0, message, finish_reason: "stop" }],
      });
    },
  });
}

interface Cost {
  readonly status: number;
  readonly code: string;
  readonly bytes: number;
  readonly thread_ms: number;
  readonly healthz_ms: number;
  readonly memory_mb: number;
}

async function measure(folder: string, vendor_url: string, { path, body }: Case): Promise<Cost> {
  const data = await mkdtemp(join(tmpdir(), "camino-cost-"));
  const price = { input: 0, output: 0 };
  const model = { price, context_length: 100_000_000, max_completion_tokens: 100, capabilities: { thinking: false } };
  const vendor = { base_url: vendor_url, api_key: "none" };
  const config = {
    catalog: "none",
    vendors: { chatty: { ...vendor, protocol: ["chat-completions"] }, wordy: { ...vendor, protocol: ["messages"] } },
    models: { [RELAYED]: model, [TRANSLATED]: model },
  };
  await writeFile(join(data, "camino.yaml"), JSON.stringify(config));
  const child = Bun.spawn(
    [
      join(folder, "bin/camino"),
      "serve",
      "--json",
      "--port",
      "0",
      "--data",
      data,
      "--config",
      join(data, "camino.yaml"),
    ],
    {
      cwd: data,
      env: { PATH: process.env.PATH ?? "", CAMINO_LOG: "error" },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "inherit",
    },
  );
  try {
    const { url } = await firstLine(child.stdout);
    const key = await newKey(url, data);
    const send = (text: string, to = path) =>
      fetch(url + to, {
        method: "POST",
        headers: {
          authorization: `Bearer ${key}`,
          "content-type": "application/json",
          "anthropic-version": "2023-06-01",
        },
        body: text,
      });
    for (let warming = 0; warming < 20; warming++) await (await send(chat(RELAYED, {}), CHAT)).text();
    const text = body();
    const before_mb = statusMb(child.pid, "VmRSS");
    const before_ms = threadMs(child.pid);
    const health = watchHealth(url);
    const answer = await send(text).catch(() => null);
    const said = (await answer?.text()) ?? "";
    const healthz_ms = await health.stop();
    return {
      status: answer?.status ?? 0,
      code: /"code":"(\w+)"/.exec(said)?.[1] ?? "",
      bytes: Buffer.byteLength(text),
      thread_ms: threadMs(child.pid) - before_ms,
      healthz_ms,
      memory_mb: statusMb(child.pid, "VmHWM") - before_mb,
    };
  } finally {
    child.kill("SIGKILL");
    await child.exited;
    await rm(data, { recursive: true, force: true });
  }
}

async function firstLine(stdout: ReadableStream<Uint8Array>): Promise<{ readonly url: string }> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of stdout) {
    text += decoder.decode(chunk);
    if (text.includes("\n")) break;
  }
  return JSON.parse(text.split("\n", 1)[0] ?? "");
}

async function newKey(url: string, data: string): Promise<string> {
  const token = (await readFile(join(data, "admin-token"), "utf8")).trim();
  const call = async (path: string, body: Json): Promise<Json> => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const answer = await fetch(`${url}/console/api${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    return (await answer.json()) as Json;
  };
  await call("/accounts", { email: "cost@example.com", credit: "10" });
  const { key } = await call("/keys", { account: "cost@example.com" });
  return String(key);
}

/** Asks for `/healthz` again and again; `stop` resolves with the longest time that an answer took. */
function watchHealth(url: string): { stop(): Promise<number> } {
  let running = true;
  let longest = 0;
  const done = (async () => {
    while (running) {
      const asked = performance.now();
      // A gateway that was busy for long closes connections on which nothing was asked for so long.
      while (running && !(await isWell(url))) await Bun.sleep(5);
      longest = Math.max(longest, performance.now() - asked);
      await Bun.sleep(5);
    }
  })();
  return {
    async stop() {
      running = false;
      await done;
      return longest;
    },
  };
}

async function isWell(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/healthz`).catch(() => null);
  await answer?.text();
  return answer?.ok === true;
}

/** Processor time of the process's first thread, which serves. */
function threadMs(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ", 1)[0]) / 1e6;
}

function statusMb(pid: number, field: string): number {
  const kib = new RegExp(`^${field}:\\s*(\\d+)`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kib) / 1024;
}

function option(name: string): string | undefined {
  const at = process.argv.indexOf(`--${name}`);
  return at === -1 ? undefined : process.argv[at + 1];
}

const folder = option("of") ?? join(import.meta.dir, "..");
const words = option("only") ?? "";
const vendor = startVendor();
console.log("| Request | Size | Answer | Serving thread | `/healthz` waits | Memory |");
console.log("|---|---|---|---|---|---|");
for (const each of CASES.filter(({ name }) => name.includes(words))) {
  const { status, code, bytes, thread_ms, healthz_ms, memory_mb } = await measure(
    folder,
    `http://127.0.0.1:${vendor.port}`,
    each,
  );
  const cells = [
    each.name,
    bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`,
    code === "" ? String(status) : `${status} \`${code}\``,
    `${thread_ms.toFixed(0)} ms`,
    `${healthz_ms.toFixed(0)} ms`,
    `${memory_mb.toFixed(0)} MB`,
  ];
  console.log(`| ${cells.join(" | ")} |`);
}
await vendor.stop(true);

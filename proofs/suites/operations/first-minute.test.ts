import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { buildOpenApi } from "../../../src/http/openapi/build-openapi.ts";
import { memberObjects, objectsOf, textOf } from "../../../src/http/openapi/page/read-json.ts";
import { caminoCommand, LAUNCHER } from "../../support/camino-command.ts";
import { runCurl } from "../../support/curl.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";

/** A newcomer's first minute: the documents' snippets work against an unconfigured gateway. */

const ROOT = join(import.meta.dir, "../../..");
const readme = await Bun.file(join(ROOT, "README.md")).text();

let gateway: Gateway;
let demo_key: string;

beforeAll(async () => {
  gateway = await startGateway();
  demo_key = (await readFile(join(gateway.data, "demo-key"), "utf8")).trim();
  // Snippets import the official clients as a newcomer's project would have them.
  await symlink(join(ROOT, "proofs/node_modules"), join(gateway.data, "node_modules"));
});

afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
});

/** A document's snippet with this gateway's address and with models that it has. */
function forThisGateway(snippet: string): string {
  return snippet
    .replaceAll("http://127.0.0.1:8787", gateway.url)
    .replaceAll(/"(openai|anthropic)\/[\w.-]+"/g, '"sim/echo"')
    .replaceAll("cm-…", demo_key);
}

function blocks(language: string): string[] {
  return [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms"))].map((match) => match[1] ?? "");
}

/** A newcomer's environment variables. */
function variables(): Record<string, string> {
  return { CAMINO_API_KEY: demo_key, REQUEST_ID: "none" };
}

async function run(command: readonly string[]): Promise<{ status: number; stdout: string; stderr: string }> {
  const child = Bun.spawn([...command], {
    cwd: gateway.data,
    env: { PATH: process.env.PATH ?? "", ...variables() },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { status: await child.exited, stdout, stderr };
}

/** What a sample prints, by the method that it calls; the others print what the model says. */
const SHOWN = [
  ["decisions.create", "probability:"],
  ["embeddings.create", "2 vectors of"],
  ["client.rerank", "0"],
  ["transcriptions.create", "A recording of"],
  // They are written into a file.
  ["speech.create", ""],
  ["images.generate", ""],
] as const;

async function runTypeScript(source: string): Promise<string> {
  const path = join(gateway.data, `snippet-${Bun.hash(source)}.ts`);
  await Bun.write(path, source);
  const { status, stdout, stderr } = await run([process.execPath, path]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout;
}

describe("the README", () => {
  test("has curl commands that are answered", async () => {
    const commands = blocks("sh").filter((block) => block.startsWith("curl "));
    expect(commands).toHaveLength(2);
    for (const command of commands.filter((each) => !each.includes("sim/draw"))) {
      const response = await runCurl(forThisGateway(command), variables());
      expect(response.status).toBe(200);
      expect(await response.text()).toContain("Simulated");
    }
  });

  test("has commands that write a picture and a spoken sentence", async () => {
    const [block = ""] = blocks("sh").filter((each) => each.includes("sim/draw"));
    // Each command without what the shell does with its answer.
    const [picture = "", sound = ""] = block.split(/(?=^curl )/m).map((each) => each.replace(/\\\n\s*\|.*/s, ""));
    const drawn = await runCurl(forThisGateway(picture), variables());
    const text = /"b64_json":"([^"]*)/.exec(await drawn.text())?.[1] ?? "";
    expect(Buffer.from(text, "base64").subarray(1, 4).toString()).toBe("PNG");
    const spoken = await runCurl(forThisGateway(sound), variables());
    expect(
      Buffer.from(await spoken.bytes())
        .subarray(0, 4)
        .toString(),
    ).toBe("RIFF");
  });

  test("has a first call that streams to its end", async () => {
    const [first = ""] = blocks("sh").filter((block) => block.includes("sim/echo"));
    const response = await runCurl(forThisGateway(first), variables());
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    expect(await response.text()).toEndWith("data: [DONE]\n\n");
  });

  test("has TypeScript that runs", async () => {
    const programs = blocks("ts");
    expect(programs).toHaveLength(1);
    for (const program of programs) expect(await runTypeScript(forThisGateway(program))).toContain("Say hello.");
  });
});

describe("the README's commands", () => {
  test("for accounts and keys work as described, in their order", async () => {
    const lines = blocks("sh").flatMap(
      (block) => block.match(/^npx camino (account|credit|key|usage|models).*$/gm) ?? [],
    );
    // A command with an ellipsis (…) needs a value that the command before has printed.
    const commands = lines.filter((line) => !line.includes("…"));
    expect(commands.length).toBeGreaterThan(6);
    for (const [at, command] of commands.entries()) {
      // The first as a clone's user runs it: from sources a command takes four times as long.
      const words = command
        .replace("npx camino", at === 0 ? LAUNCHER : caminoCommand())
        .replace(/=openai\/[\w.-]+/, "=sim/echo");
      const script = `${words} --json --url ${gateway.url} --data ${gateway.data}`;
      const { status, stdout, stderr } = await run(["sh", "-euc", script]);
      expect({ command, status, stderr }).toEqual({ command, status: 0, stderr: "" });
      expect(() => JSON.parse(stdout)).not.toThrow();
    }
  });
});

describe("the API reference", () => {
  const document = () =>
    buildOpenApi({
      version: "0",
      base_url: gateway.url,
      ...{ model_a: "sim/echo", model_b: "sim/echo", model_e: "sim/embed" },
      ...{ model_s: "sim/speak", model_i: "sim/draw", model_r: "sim/rank", model_t: "sim/listen" },
      model_c: "sim/echo",
    });

  function samples(lang: string): string[] {
    return memberObjects(document().paths)
      .flatMap(([, methods]) => memberObjects(methods))
      .flatMap(([, operation]) => objectsOf(operation["x-codeSamples"]))
      .filter((sample) => sample.lang === lang)
      .map(({ source }) => textOf(source));
  }

  /** The id of a response that the gateway keeps. */
  async function storedResponse(): Promise<string> {
    const answer = await fetch(`${gateway.url}/v1/responses`, {
      method: "POST",
      headers: { authorization: `Bearer ${demo_key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "sim/echo", input: "Say hello." }),
    });
    return ((await answer.json()) as { id: string }).id;
  }

  const SPOKEN = { model: "sim/speak", input: "Say hello.", voice: "coral" };
  const DRAWN = { model: "sim/draw", prompt: "A lighthouse" };

  /** The answer of an endpoint that makes a file. */
  async function made(endpoint: string, body: object): Promise<Uint8Array> {
    const answer = await fetch(`${gateway.url}/v1/${endpoint}`, {
      method: "POST",
      headers: { authorization: `Bearer ${demo_key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    expect(answer.status).toBe(200);
    return await answer.bytes();
  }

  test("has curl commands that are answered", async () => {
    const commands = samples("shell").filter((command) => !command.includes("MANAGEMENT_KEY"));
    expect(commands.length).toBeGreaterThan(10);
    await Bun.write(join(gateway.data, "speech.mp3"), await made("audio/speech", SPOKEN));
    const { data } = JSON.parse(Buffer.from(await made("images/generations", DRAWN)).toString());
    await Bun.write(join(gateway.data, "picture.png"), Buffer.from(data[0].b64_json, "base64"));
    for (const command of commands) {
      const kept = command.includes("RESPONSE_ID") ? { RESPONSE_ID: await storedResponse() } : {};
      const response = await runCurl(command, { ...variables(), ...kept }, gateway.data);
      // Only the receipt that the example asks for does not exist.
      const expected = command.includes("REQUEST_ID") ? 404 : 200;
      expect([command, response.status]).toEqual([command, expected]);
      await response.arrayBuffer();
    }
  });

  test("has curl commands for administration that a management key runs", async () => {
    const made = await gateway.admin<{ key: string }>("POST", "/management-keys", {
      name: "reader",
      scopes: [
        "accounts:read",
        "keys:read",
        "users:read",
        "usage:read",
        "management_keys:read",
        "requests:read",
        "credits:read",
        "members:read",
        "models:read",
        "audit:read",
        "alerts:read",
        "content:read",
        "health:read",
        "configuration:read",
      ],
    });
    const { data } = await gateway.admin<{ data: { id: string }[] }>("GET", "/accounts");
    const env = { MANAGEMENT_KEY: made.key, ACCOUNT_ID: data[0]?.id ?? "" };
    // Those that need no body and no id of something that the reader has made.
    const commands = samples("shell").filter(
      (command) => command.includes("MANAGEMENT_KEY") && !command.includes(" -X ") && !/\/\$\w+/.test(command),
    );
    expect(commands.length).toBeGreaterThan(3);
    for (const command of commands) {
      const response = await runCurl(command, env);
      expect([command, response.status]).toEqual([command, 200]);
      await response.arrayBuffer();
    }
  });

  test("has TypeScript that runs", async () => {
    const programs = samples("typescript");
    expect(programs.length).toBeGreaterThanOrEqual(5);
    for (const program of programs) {
      const shown = SHOWN.find(([method]) => program.includes(method))?.[1] ?? "Say hello.";
      expect(await runTypeScript(program)).toContain(shown);
    }
    expect((await readFile(join(gateway.data, "speech.mp3"))).byteLength).toBeGreaterThan(1000);
  });
});

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfiguration } from "../../../src/catalog/configuration/load-configuration.ts";
import { readLabelled } from "../../../src/cli/read-labelled.ts";
import { costOf } from "../../../src/core/money/price.ts";
import { NO_USAGE } from "../../../src/core/money/usage.ts";
import { NGINX, refusalOfNginx } from "../../support/nginx.ts";
import { BLOCKS, type Block, placeOf } from "./support/blocks.ts";
import { kindOf } from "./support/kinds.ts";

/** What the documents show as files and as output is what the gateway reads and says. */

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "camino-written-"));
  // What a configuration of the documents names beside itself.
  const calibration = { version: "2026-11-01 local/judge", temperatures: { predicate: 1.2, choice: 1.4, score: 1.1 } };
  await Bun.write(join(folder, "judge.json"), JSON.stringify(calibration));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const CREDENTIALS = ["OPENAI_API_KEY", "ANTHROPIC_API_KEY"];
const SERVERS = { OLLAMA_HOST: "127.0.0.1:11434", VLLM_BASE_URL: "http://127.0.0.1:8000/v1" };

/** A configuration of which every variable that it names is set. */
function load(file_text: string) {
  const named = Array.from(file_text.matchAll(/\$\{(\w+)\}/g), ([, name = ""]) => name);
  const shown = (name: string) =>
    /^(NORTH|SOUTH)_URL$/.test(name) ? `postgres://127.0.0.1/${name}` : `a-value-of-${name}`;
  const env = Object.fromEntries([...named, ...CREDENTIALS].map((name) => [name, shown(name)]));
  return loadConfiguration({ file_text, file_name: join(folder, "camino.yaml"), env: { ...env, ...SERVERS } });
}

/** A block that is a part of a file, with what it needs around it. */
function whole({ text }: Block): string {
  if (!text.startsWith("price:")) return text;
  const vendor = `vendors: { x: { protocol: messages, base_url: "http://127.0.0.1:1/v1" } }`;
  return `${vendor}\nmodels:\n  x/y:\n${text.replace(/^/gm, "    ")}`;
}

const ofKind = (kind: string) =>
  BLOCKS.filter((block) => kindOf(block)?.kind === kind).map((block) => [placeOf(block), block] as const);

function block(document: string, begins: string): Block {
  const found = BLOCKS.find((each) => each.document === document && each.text.startsWith(begins));
  if (found === undefined) throw new Error(`${document} has no block that begins with ${begins}`);
  return found;
}

describe("a configuration", () => {
  test.each(ofKind("configuration"))("of %s can be loaded", (_place, each) => {
    const loaded = load(whole(each));
    // Each section of the block is one that the configuration has.
    expect(loaded.models.size).toBeGreaterThan(0);
  });

  test("with a mistake is refused in the documents' words", async () => {
    const shown = block("docs/configuration.md", "camino.yaml has a problem").text;
    const example = block("docs/configuration.md", "currency:").text;
    const [, line = "0", wrong = ""] = /camino\.yaml:(\d+): .*found "([^"]+)"/.exec(shown) ?? [];
    const lines = ["vendors:", "  acme: { protocol: messages, base_url: https://api.acme.example/v1 }", "models:"];
    lines.push("  acme/swift-1:", "    price:", "      input: 3.00");
    while (lines.length < Number(line) - 1) lines.unshift("# A line of comment.");
    lines.push(`      output: ${wrong}`);
    expect(example).toContain("output: 15.00");
    expect(() => loadConfiguration({ file_text: lines.join("\n"), file_name: "camino.yaml", env: {} })).toThrow(
      shown.trimEnd(),
    );
  });
});

test("labelled questions of the documents are read as such", () => {
  const { text } = block("docs/decisions.md", '{"input"');
  const read = readLabelled(text, "labelled.jsonl");
  expect(read).toHaveLength(3);
  expect(new Set(read.map(({ question }) => question.type))).toEqual(new Set(["predicate", "choice", "score"]));
});

test("the README's receipt adds up", () => {
  const { text } = block("README.md", "id  ");
  const lines = Array.from(
    text.matchAll(/ (\d+) × (\d+)\.00 per million$/gm),
    ([, count, price]) => Number(count) * Number(price),
  );
  expect(lines).toHaveLength(2);
  const [, charged = ""] = /^charged +0\.(\d{6}) USD$/m.exec(text) ?? [];
  expect(lines.reduce((sum, line) => sum + line, 0)).toBe(Number(charged));
});

test("the receipt of the documents is added up as the gateway adds", () => {
  const { text } = block("docs/billing.md", "hold_micro");
  const [, charge] = /charge_micro +(\d+)/.exec(text) ?? [];
  expect(text).toContain("900 × 3 + 100 × 0.3 + 500 × 15");
  const usage = { ...NO_USAGE, input_tokens: 900, cache_read_tokens: 100, output_tokens: 500 };
  const { models } = load(block("docs/configuration.md", "currency:").text);
  // The price of the documents' example: 3.00 in, 0.30 from the cache, 15.00 out.
  const price = models.get("acme/swift-1")?.prices.at(-1);
  expect(price === undefined ? null : String(costOf(usage, price))).toBe(charge ?? "");
});

describe("a file for another program", () => {
  test("for Prometheus is YAML with the fields that it scrapes by", () => {
    const { text } = block("docs/operations.md", "# Prometheus");
    expect(Bun.YAML.parse(text)).toEqual({
      rule_files: ["camino-alerts.yaml"],
      scrape_configs: [
        {
          job_name: "camino",
          authorization: { credentials_file: expect.stringMatching(/^\//) },
          static_configs: [{ targets: [expect.stringMatching(/:\d+$/)] }],
        },
      ],
    });
  });

  test("for Zed is JSON with the fields of its documentation", () => {
    const { text } = block("docs/clients.md", '{\n  "language_models"');
    expect(JSON.parse(text)).toMatchObject({
      language_models: {
        openai_compatible: {
          camino: {
            api_url: "http://127.0.0.1:8787/v1",
            available_models: [
              {
                name: expect.any(String),
                display_name: expect.any(String),
                max_tokens: expect.any(Number),
                // Zed's reader refuses capabilities that lack one of these.
                capabilities: { tools: true, images: true, parallel_tool_calls: true, prompt_cache_key: true },
              },
            ],
          },
        },
      },
    });
  });

  test("for nginx is accepted by nginx, where there is one, and is well formed everywhere", async () => {
    const { text } = block("docs/operations.md", "server {");
    const statements = text
      .replace(/#.*$/gm, "")
      .split("\n")
      .map((line) => line.trim());
    expect(statements.filter((line) => line !== "" && !/[;{}]$/.test(line))).toEqual([]);
    expect(text.split("{").length).toBe(text.split("}").length);
    if (NGINX === null) return;
    expect(await refusalOfNginx(text.replace("listen 443 ssl", "listen 8443 ssl"))).toBeNull();
  });
});

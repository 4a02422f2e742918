import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { loadConfiguration } from "../../../src/catalog/configuration/load-configuration.ts";
import { VENDOR_ROWS } from "../../../src/catalog/vendors/vendors.ts";
import { buildProgram } from "../../../src/cli/program.ts";
import type { CliDeps } from "../../../src/cli/shared/deps.ts";
import { buildOpenApi } from "../../../src/http/openapi/build-openapi.ts";
import { PROCESS_METRICS } from "../../../src/main/workers/process-metrics.ts";
import { Metrics } from "../../../src/observe/metrics.ts";

/** The documents are true where a program can check them: links, commands, configuration, vendors, metrics. */

const ROOT = join(import.meta.dir, "../../..");
const DOCUMENTS = [
  "README.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  ...(await Array.fromAsync(new Bun.Glob("docs/**/*.md").scan({ cwd: ROOT }))).sort(),
];

const texts = new Map<string, string>();
for (const path of DOCUMENTS) texts.set(path, await Bun.file(join(ROOT, path)).text());

function textOf(path: string): string {
  return texts.get(path) ?? "";
}

/** The contents of fenced blocks of a language. */
function blocks(path: string, language: string): string[] {
  return [...textOf(path).matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms"))].map(
    (match) => match[1] ?? "",
  );
}

function withoutBlocks(text: string): string {
  return text.replace(/^```.*?^```/gms, "");
}

/** The anchors that a Markdown renderer gives to headings. */
function anchorsOf(text: string): Set<string> {
  const headings = [...withoutBlocks(text).matchAll(/^#{1,6} (.+)$/gm)].map((match) => match[1] ?? "");
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, "")
        .replace(/ /g, "-"),
    ),
  );
}

describe("links", () => {
  test.each(DOCUMENTS)("in %s lead to files and headings that exist", (path) => {
    const lost: string[] = [];
    for (const [, target = ""] of withoutBlocks(textOf(path)).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(target)) continue;
      const [file = "", anchor] = target.split("#");
      const to = file === "" ? path : join(dirname(path), file);
      if (!existsSync(join(ROOT, to))) lost.push(target);
      else if (anchor !== undefined && texts.has(to) && !anchorsOf(textOf(to)).has(anchor)) lost.push(target);
    }
    expect(lost).toEqual([]);
  });
});

// The commands are inspected, not run, so their dependencies need only a version.
const program = await buildProgram({ version: "0" } as CliDeps, () => {});

describe("commands", () => {
  /** Whether a command line's words name existing commands and options. */
  function known(words: readonly string[]): boolean {
    let command: { commands: readonly (typeof program)[]; options: typeof program.options } = program;
    for (const word of words) {
      if (word.startsWith("--")) {
        const name = word.split("=")[0];
        if (!command.options.some(({ long }) => long === name)) return false;
      } else {
        command = command.commands.find((each) => each.name() === word) ?? command;
      }
    }
    return command !== program;
  }

  test.each(DOCUMENTS)("in %s exist, with their options", (path) => {
    const lines = [...textOf(path).matchAll(/(?:npx camino|bin\/camino) ([a-z][^`\n|]*)/g)].map(
      (match) => match[1] ?? "",
    );
    const unknown = lines.filter((line) => !known(line.replace(/\\$/, "").trim().split(/\s+/)));
    expect(unknown).toEqual([]);
  });

  test("npm's own exist in package.json", async () => {
    const { scripts } = (await Bun.file(join(ROOT, "package.json")).json()) as { scripts: Record<string, string> };
    for (const path of DOCUMENTS)
      for (const [, name = ""] of textOf(path).matchAll(/npm (?:run )?(start|test|check|bench)\b/g))
        expect(scripts).toHaveProperty(name);
  });
});

describe("models", () => {
  const env = { GLOBEX_API_KEY: "k", OPENAI_API_KEY: "k", ANTHROPIC_API_KEY: "k", OLLAMA_HOST: "127.0.0.1:11434" };
  const bundled = loadConfiguration({ file_text: null, file_name: "none", env }).models;

  test("of the examples are in the bundled catalogue", () => {
    const reference = JSON.stringify(buildOpenApi({ version: "0" }));
    const named = [...DOCUMENTS.map(textOf), reference].flatMap(
      (text) => text.match(/(?<!github\.com\/)\b(openai|anthropic)\/[a-z]+-[\w.-]+\b/g) ?? [],
    );
    const unknown = named.filter((name) => !name.startsWith("anthropic/sdk") && !bundled.has(name));
    expect(named.length).toBeGreaterThan(5);
    expect(unknown).toEqual([]);
  });

  test("of an own vendor can be loaded, as the recipe has them", () => {
    const files = blocks("docs/how-to/add-a-vendor.md", "yaml");
    expect(files).toHaveLength(2);
    for (const file_text of files) {
      const { models } = loadConfiguration({ file_text, file_name: "camino.yaml", env });
      expect(models.size).toBe(bundled.size + 1);
    }
  });
});

describe("docs/configuration.md", () => {
  const path = "docs/configuration.md";

  test("has a whole example that can be loaded, and parts that fit into it", () => {
    const [whole = "", ...parts] = blocks(path, "yaml");
    const secrets = { GOOGLE_CLIENT_ID: "id", GOOGLE_CLIENT_SECRET: "s", METRICS_TOKEN: "a-token-of-many-letters" };
    const env = {
      ACME_API_KEY: "k",
      ACME_KEY_1: "k",
      ACME_KEY_2: "l",
      ANTHROPIC_API_KEY: "k",
      OLLAMA_HOST: "127.0.0.1:11434",
      SMTP_PASSWORD: "p",
      OTLP_AUTH: "Bearer s",
      SLACK_HOOK: "/services/T0/B0/x",
      NORTH_URL: "postgres://north/camino",
      SOUTH_URL: "postgres://south/camino",
      ...secrets,
    };
    const configuration = loadConfiguration({ file_text: whole, file_name: "example", env });
    expect(configuration.models.get("acme/swift-1")?.routes).toHaveLength(2);
    expect(parts.length).toBeGreaterThan(0);
    for (const part of parts) {
      const text = part.startsWith("price:")
        ? `vendors: { x: { protocol: messages, base_url: "http://127.0.0.1:1/v1" } }\nmodels:\n  x/y:\n${part.replace(/^/gm, "    ")}`
        : part;
      const loaded = loadConfiguration({ file_text: text, file_name: "example", env });
      if (/^mail:/m.test(part)) expect(loaded.mail?.from).toContain("@");
      else if (part.startsWith("telemetry:")) expect(loaded.telemetry?.traces?.share).toBe(0.1);
      else if (part.startsWith("hooks:")) expect(loaded.hooks?.before?.deadline_ms).toBe(300);
      else if (part.startsWith("console:")) expect(loaded.console?.oidc).toHaveLength(1);
      else if (part.startsWith("cells:")) expect(loaded.cells?.cells).toHaveLength(2);
      else if (part.startsWith("operations:")) expect(loaded.operations).toMatchObject({ port: 9090 });
      else expect(loaded.models.size).toBeGreaterThan(0);
    }
  });

  test("lists exactly the vendors that Camino knows, with their variables and protocols", () => {
    const rows = VENDOR_ROWS.map(({ id, name, api_key_env, server_env, endpoints }) => {
      const variables = [...(server_env === undefined ? [] : [server_env]), ...api_key_env];
      const also = [...(endpoints[0]?.base_url ?? "").matchAll(/\$\{(\w+)\}/g)].map((match) => match[1] ?? "");
      const shown = (words: readonly string[]) => words.map((word) => `\`${word}\``).join(", ");
      return `| \`${id}\` | ${name} | ${shown([...variables, ...also])} | ${endpoints.map(({ protocol }) => protocol).join(", ")} |`;
    });
    const table = textOf(path).split("## Known vendors")[1]?.split("\n## ")[0] ?? "";
    expect([...table.matchAll(/^\| `.*$/gm)].map(([row]) => row)).toEqual(rows);
  });

  test("names every variable that Camino reads, and the README names no other", async () => {
    const named = new Set(textOf(path).match(/\bCAMINO_[A-Z_]+\b/g));
    const read = new Set<string>();
    for await (const file of new Bun.Glob("src/**/*.ts").scan({ cwd: ROOT })) {
      if (file.endsWith(".test.ts")) continue;
      const source = (await Bun.file(join(ROOT, file)).text()).replace(/^\s*(\*|\/\/).*$/gm, "");
      for (const [name] of source.matchAll(/\bCAMINO_[A-Z_]+\b/g)) if (name !== "CAMINO_API_KEY") read.add(name);
    }
    expect([...named].sort()).toEqual([...read].sort());
    for (const other of DOCUMENTS)
      for (const name of textOf(other).match(/\bCAMINO_[A-Z_]+\b/g) ?? [])
        if (name !== "CAMINO_API_KEY" && !name.startsWith("CAMINO_TEST_")) expect([...read]).toContain(name);
  });
});

test("the README is read in one go: at most 150 lines", () => {
  expect(textOf("README.md").trimEnd().split("\n").length).toBeLessThanOrEqual(150);
});

describe("docs/architecture.md", () => {
  test("names files and folders that are there", async () => {
    const globs = ["src/**/*", "contract/**/*", "scripts/**/*", "console/src/**/*"].map(
      (pattern) => new Bun.Glob(pattern),
    );
    const found = await Promise.all(globs.map((glob) => Array.fromAsync(glob.scan({ cwd: ROOT }))));
    const sources = found.flat();
    const named = [...withoutBlocks(textOf("docs/architecture.md")).matchAll(/`([a-z][\w./-]*)`/g)].map(
      (match) => match[1] ?? "",
    );
    const files = named.filter((name) => name.endsWith(".ts"));
    const folders = named.filter((name) => name.includes("/") && !/\.\w+$/.test(name));
    expect(files.length).toBeGreaterThan(40);
    expect(files.filter((name) => !sources.some((path) => `/${path}`.endsWith(`/${name}`)))).toEqual([]);
    expect(folders.filter((name) => !sources.some((path) => `/${path}`.includes(`/${name}/`)))).toEqual([]);
  });

  test("has a row for each room of src, and each room a README of at most 25 lines", async () => {
    const rooms = await Array.fromAsync(new Bun.Glob("src/*/").scan({ cwd: ROOT, onlyFiles: false }));
    expect(rooms.length).toBeGreaterThan(15);
    for (const room of rooms.filter((path) => !path.endsWith(".ts"))) {
      expect(textOf("docs/architecture.md")).toContain(`[${room.slice("src/".length).replace("/", "")}](../src/`);
      const lines = (await Bun.file(join(ROOT, room, "README.md")).text()).trimEnd().split("\n");
      expect({ room, lines: lines.length <= 25 }).toEqual({ room, lines: true });
    }
  });
});

describe("docs/operations.md", () => {
  test("lists exactly the gateway's metrics", () => {
    const registered = new Metrics().names;
    const listed = [...textOf("docs/operations.md").matchAll(/^\| `(camino_\w+)/gm)].map((match) => match[1] ?? "");
    // Gauges that are registered where their value is known.
    const elsewhere = [
      "camino_requests_in_flight",
      "camino_unfinished_body_bytes",
      "camino_ledger_pending",
      "camino_configuration_left_out",
      "camino_vendor_credentials_resting",
      "camino_vendor_limits_reached",
      "camino_telemetry_waiting",
      "camino_stored_responses_waiting",
      "camino_database_conditions",
      "camino_audit_problems",
      "camino_audit_timestamp_seconds",
      ...PROCESS_METRICS,
    ];
    expect(listed.filter((name) => !elsewhere.includes(name)).sort()).toEqual(
      registered.filter((name) => !elsewhere.includes(name)).sort(),
    );
  });
});

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BUNDLED_VENDORS, bundledModels, bundledVendor } from "../catalog/bundled/bundled-models.ts";
import type { CatalogPart } from "../catalog/bundled/catalog-age.ts";
import { loadConfiguration } from "../catalog/configuration/load-configuration.ts";
import { runCli } from "./run-cli.ts";

/** `camino check` and `camino catalog`: they call no gateway, they only read files and published lists. */

const PUBLISHED = JSON.stringify({
  acme: {
    id: "acme",
    name: "Acme",
    api: "https://api.acme.example/v1",
    npm: "@ai-sdk/openai-compatible",
    env: ["ACME_API_KEY"],
    models: {
      swift: publishedModel("swift", { input: 3, output: 15 }),
      slow: publishedModel("slow", { input: 1, output: 2 }),
    },
  },
});

function publishedModel(id: string, cost: object) {
  return {
    id,
    name: id,
    modalities: { input: ["text"], output: ["text"] },
    limit: { context: 1000, output: 100 },
    cost,
  };
}

const CONFIGURATION = `
vendors:
  acme: { protocol: chat-completions, base_url: https://api.acme.example/v1, api_key: "\${ACME_API_KEY}" }
models:
  acme/swift: { price: { input: 2, output: 15 } }
  acme/old: { price: { input: 2, output: 15 }, fallbacks: [acme/swift] }
`;

let folder: string;
let list_server: ReturnType<typeof Bun.serve>;
let closed = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "camino-catalog-"));
  await Bun.write(join(folder, "list.json"), PUBLISHED);
  await Bun.write(join(folder, "camino.yaml"), CONFIGURATION);
  await Bun.write(join(folder, "wrong.yaml"), CONFIGURATION.replace("acme/swift: {", "acme/swift: { colour: red,"));
  list_server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request) =>
      request.url.endsWith("/api.json") ? new Response(PUBLISHED) : new Response("", { status: 404 }),
  });
});

afterAll(async () => {
  await list_server.stop(true);
  await rm(folder, { recursive: true });
});

/** Runs a command line in the folder, with a vendor's credential in the environment, at the time `now_ms`. */
async function run(command: string, now_ms = 1) {
  let stdout = "";
  let stderr = "";
  const env = { ACME_API_KEY: "a-vendor-credential" };
  const unused = () => Promise.reject(new Error("not asked for here"));
  const status = await runCli(command.split(" "), {
    version: "1.2.3",
    command: "/opt/camino",
    env,
    stdout: (text) => (stdout += text),
    stderr: (text) => (stderr += text),
    fetch,
    clock: { now_ms: () => now_ms, monotonic_ms: () => 0 },
    serve: unused,
    simulate: unused,
    openBooks: unused,
    databaseTools: unused,
    cellTools: unused,
    async readConfiguration({ config = "camino.yaml" }) {
      const file_text = await Bun.file(join(folder, config)).text();
      const configuration = loadConfiguration({ file_text, file_name: config, env });
      return { configuration, env, file: config, first_run: false, close: async () => void closed++ };
    },
  });
  expect(stdout + stderr).not.toContain("a-vendor-credential");
  return { status, stdout, stderr };
}

describe("camino check", () => {
  test("prints a summary of the configuration for people", async () => {
    const { status, stdout, stderr } = await run("check");
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("camino.yaml is a valid configuration.\nPrices are in USD. 2 chat models.");
    expect(stdout).toMatch(/^acme +2 {2}set +chat-completions at https:\/\/api.acme.example\/v1$/m);
    expect(stdout).toContain("acme/old goes to acme:old ×1; else acme/swift");
    expect(stdout).toContain("OpenAI (OPENAI_API_KEY)");
  });

  test("names the models and tags by which every account is limited", async () => {
    const limits =
      "limits: { models: { 'acme/*': { rpm: 5 }, '*': { budget: 5/day } }, tags: { customer: { rpm: 1 } } }";
    await Bun.write(join(folder, "limited.yaml"), `${await Bun.file(join(folder, "camino.yaml")).text()}\n${limits}\n`);
    const { stdout } = await run("check --config limited.yaml");
    expect(stdout).toContain("Each account is limited by model (acme/*, *) and by tag (customer).");
    const { limits: described } = JSON.parse((await run("check --config limited.yaml --json")).stdout);
    expect(described).toMatchObject({ models: ["acme/*", "*"], tags: ["customer"] });
    expect((await run("check")).stdout).not.toContain("Each account");
  });

  test("prints the summary as JSON for programs, and stops what it started", async () => {
    closed = 0;
    const { status, stdout } = await run("check --config camino.yaml --json");
    expect([status, closed]).toEqual([0, 1]);
    expect(JSON.parse(stdout)).toMatchObject({
      file: "camino.yaml",
      first_run: false,
      currency: "USD",
      models: { chat: 2, decision: 0 },
      vendors: [{ id: "acme", has_credential: true, model_count: 2 }],
    });
  });

  test("lists every problem of a wrong file, for people and for programs", async () => {
    const { status, stdout, stderr } = await run("check --config wrong.yaml --json");
    expect(status).toBe(1);
    expect(stderr).toContain("wrong.yaml:5: models.acme/swift.colour");
    const { error, problems } = JSON.parse(stdout) as { error: { code: string }; problems: object[] };
    expect(error.code).toBe("invalid_configuration");
    expect(problems).toEqual([
      expect.objectContaining({ file: "wrong.yaml", line: 5, path: "models.acme/swift.colour" }),
    ]);
  });
});

const OPENAI = bundledVendor("openai")?.origin ?? expect.unreachable();
const daysAfter = (days: number) => OPENAI.as_of_ms + days * 86_400_000;

describe("camino catalog", () => {
  test.each(["catalog", "catalog show"])("prints the age and the sources of the bundled figures: %s", async (line) => {
    const { status, stdout, stderr } = await run(line, daysAfter(3));
    expect([status, stderr]).toEqual([0, ""]);
    const [row = ""] = stdout.split("\n").filter((text) => text.startsWith("openai "));
    expect(row.split(/ {2,}/).slice(2)).toEqual([OPENAI.as_of, "3 days", OPENAI.source]);
    for (const vendor of BUNDLED_VENDORS) expect(stdout).toMatch(new RegExp(`^${vendor} +\\d+ +20\\d\\d-`, "m"));
  });

  test("prints age and sources as JSON for programs, and calls figures old after 120 days", async () => {
    const partOf = async (days: number) => {
      const { stdout } = await run("catalog --json", daysAfter(days));
      const { old_after_days, vendors } = JSON.parse(stdout) as { old_after_days: number; vendors: CatalogPart[] };
      expect([old_after_days, vendors.length]).toEqual([120, BUNDLED_VENDORS.length]);
      return vendors.find(({ vendor }) => vendor === "openai");
    };
    const { as_of, source } = OPENAI;
    const model_count = bundledModels("openai").size;
    const openai = { vendor: "openai", model_count, as_of, source };
    expect(await partOf(120)).toEqual({ ...openai, age_days: 120, is_old: false });
    expect(await partOf(121)).toEqual({ ...openai, age_days: 121, is_old: true });
    expect(await partOf(-1)).toEqual({ ...openai, age_days: 0, is_old: false });
  });

  test("refuses an unknown subcommand", async () => {
    const { status, stderr } = await run("catalog bogus");
    expect([status, stderr.includes("bogus")]).toEqual([2, true]);
  });
});

describe("camino check, of old bundled prices", () => {
  const warning = `openai (of ${OPENAI.as_of}, 121 days old)`;

  test("reports that the prices are old, to people and to programs", async () => {
    await Bun.write(join(folder, "openai.yaml"), "vendors: { openai: { api_key: k } }\n");
    expect((await run("check --config openai.yaml", daysAfter(121))).stdout).toContain(warning);
    expect((await run("check --config openai.yaml", daysAfter(120))).stdout).not.toContain("days old");
    const { stdout } = await run("check --config openai.yaml --json", daysAfter(121));
    expect(JSON.parse(stdout)).toMatchObject({ bundled_prices: [{ vendor: "openai", age_days: 121, is_old: true }] });
  });

  test("reports nothing where the file gives every price itself, even at the bundled amount", async () => {
    const same = `${CONFIGURATION}  openai/gpt-5.5: { price: { input: 5.00, output: 30.00, cache_read: 0.50 } }\n`;
    await Bun.write(
      join(folder, "own.yaml"),
      `catalog: none\n${same.replace("vendors:", "vendors:\n  openai: { api_key: k }")}`,
    );
    const { stdout } = await run("check --config own.yaml --json", daysAfter(400));
    expect(JSON.parse(stdout)).toMatchObject({ models: { chat: 3 }, bundled_prices: [] });
  });
});

describe("camino catalog import", () => {
  test("prints a configuration that works without changes", async () => {
    const { status, stdout, stderr } = await run(`catalog import ${join(folder, "list.json")}`);
    expect([status, stderr]).toEqual([0, "2 models of 1 vendor.\n"]);
    const env = { ACME_API_KEY: "k" };
    const { models } = loadConfiguration({ file_text: stdout, file_name: "imported.yaml", env });
    expect([...models.keys()].toSorted()).toEqual(["acme/slow", "acme/swift"]);
  });

  test("downloads a list, and imports only the named vendors", async () => {
    const { status, stdout, stderr } = await run(
      `catalog import ${list_server.url.href}api.json --vendors other --json`,
    );
    expect([status, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout)).toMatchObject({ model_count: 0, vendor_count: 0 });
  });
});

describe("camino catalog diff", () => {
  test("reports models that are new, gone, or priced differently", async () => {
    const { status, stdout } = await run(`catalog diff ${join(folder, "list.json")} --json`);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      added: ["acme/slow"],
      removed: ["acme/old"],
      repriced: [
        {
          model: "acme/swift",
          before: expect.stringContaining("input 2.00"),
          after: expect.stringContaining("input 3.00"),
        },
      ],
    });
  });

  test("prints the differences for people", async () => {
    const { stdout } = await run(`catalog diff ${join(folder, "list.json")}`);
    expect(stdout).toContain("+ acme/slow\n- acme/old\n~ acme/swift\n");
  });
});

describe("a list that cannot be read ends with status 1 and a sentence", () => {
  const CASES: [source: () => string, sentence: string][] = [
    [() => join(folder, "none.json"), "cannot be read"],
    [() => join(folder, "camino.yaml"), "This is not JSON"],
    [() => `${list_server.url.href}else`, "answers with status 404"],
    [() => "http://127.0.0.1:1/api.json", "cannot be reached"],
  ];
  for (const [source, sentence] of CASES) {
    test(sentence, async () => {
      for (const command of ["import", "diff"]) {
        const { status, stdout, stderr } = await run(`catalog ${command} ${source()}`);
        expect([status, stdout]).toEqual([1, ""]);
        expect(stderr).toContain(sentence);
      }
    });
  }
});

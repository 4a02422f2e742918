import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { VendorOffers } from "../../../contract/offers.ts";
import { type Simulator, startSimulator } from "../../../simulator/server.ts";
import { loadConfiguration } from "../../../src/catalog/configuration/load-configuration.ts";
import { runHere } from "../../support/camino.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";

/** `camino vendor models`: a vendor's own list, with prices from a published one. */

const cost = { input: 3, output: 15, cache_read: 0.3 };
const model = (id: string) => ({ id, name: id, cost, limit: { context: 200_000, output: 8000 } });
const modalities = { input: ["text"], output: ["text"] };
const LIST = JSON.stringify({
  acme: {
    ...{ id: "acme", name: "Acme", api: "https://api.acme.example/v1", npm: "@ai-sdk/openai-compatible" },
    models: { tools: { ...model("tools"), modalities }, gone: { ...model("gone"), modalities } },
  },
  beta: { ...{ id: "beta", npm: "@ai-sdk/openai-compatible", api: "https://beta.example/v1" }, models: {} },
});

let simulator: Simulator;
let gateway: Gateway;

beforeAll(async () => {
  simulator = await startSimulator();
  const config = {
    catalog: "none",
    vendors: { acme: { protocol: "chat-completions", base_url: simulator.base_url } },
    models: { "acme/echo": { price: { input: 1, output: 2 } } },
  };
  gateway = await startGateway({ config: JSON.stringify(config) });
  await Bun.write(join(gateway.data, "list.json"), LIST);
  await Bun.write(join(gateway.data, "other.json"), "{}");
}, 30_000);

afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await simulator.stop();
});

const list = () => join(gateway.data, "list.json");
const environment = () => ({ cwd: gateway.data, env: { CAMINO_URL: gateway.url, CAMINO_DATA: gateway.data } });
const camino = (...words: string[]) => runHere(["vendor", "models", ...words], environment());

describe("camino vendor models", () => {
  test("lists what the vendor has, and as what the gateway offers it", async () => {
    const { status, stdout } = await camino("acme");
    expect(status).toBe(0);
    expect(stdout).toMatch(/^vendor's name +context +offered as +input USD\/M +output USD\/M +price from$/m);
    expect(stdout).toMatch(/^echo +acme\/echo$/m);
    expect(stdout).toMatch(/^\d+ models of acme, by http:\/\/127\.0\.0\.1:\d+\/v1\/models\.$/m);
  });

  test("proposes prices from a published list, cut down to the vendor", async () => {
    const { stdout } = await camino("acme", "--list", list());
    expect(stdout).toMatch(/^tools +3\.00 +15\.00 +the list, 20\d\d-\d\d-\d\d$/m);
    expect(stdout).toContain("The list has 1 of the vendor's models.");
  });

  test("leaves out what is offered, and prints one document for programs", async () => {
    const { stdout } = await camino("acme", "--new", "--json");
    const { data } = JSON.parse(stdout) as VendorOffers;
    expect(data.length).toBeGreaterThan(50);
    expect(data.every(({ offered_as }) => offered_as.length === 0)).toBe(true);
  });

  test("prints configuration that a file takes, and names the models without a price", async () => {
    const { stdout } = await camino("acme", "--list", list(), "--yaml");
    expect(stdout).toContain("# acme/slow: no price is known");
    const vendors = "vendors:\n  acme: { protocol: chat-completions, base_url: http://127.0.0.1:1/v1 }\n";
    const { models } = loadConfiguration({ file_text: `${vendors}${stdout}`, file_name: "printed.yaml", env: {} });
    expect(models.get("acme/tools")?.prices[0]).toMatchObject({
      input_micro_per_mtok: 3_000_000,
      output_micro_per_mtok: 15_000_000,
      cache_read_micro_per_mtok: 300_000,
    });
    expect(models.get("acme/tools")?.context_length).toBe(200_000);
    expect(models.size).toBe(1);
  });

  test.each([
    [["nobody"], /vendor/],
    [["acme", "--list", "nowhere.json"], /nowhere\.json cannot be read/],
    [["acme", "--list", "OTHER"], /is no list of models that Camino knows/],
    [
      ["acme", "--list", "LIST", "--list-vendor", "delta"],
      /has no vendor 'delta'; name one of its vendors with --list-vendor, such as acme, beta\./,
    ],
    [["acme", "--list", "LIST", "--list-vendor", "beta"], /has no vendor/],
  ])("refuses in one sentence: %j", async (words, sentence) => {
    const real = words.map((word) => word.replace("OTHER", join(gateway.data, "other.json")).replace("LIST", list()));
    const { status, stderr } = await camino(...real);
    expect(status).toBe(1);
    expect(stderr).toMatch(sentence);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  });

  test("offers a model with the list's price, once it is told to", async () => {
    const asked = ["acme", "--list", list(), "--offer", "tools"];
    const before = await camino(...asked);
    expect(before.stdout).toContain("Nothing is changed yet: --yes offers this.");
    const { data } = JSON.parse((await camino("acme", "--new", "--json")).stdout) as VendorOffers;
    expect(data.some(({ upstream_model }) => upstream_model === "tools")).toBe(true);
    expect((await camino(...asked, "--yes")).stdout).toBe("acme/tools is offered.\n");
    expect((await camino(...asked, "--yes")).stderr).toContain("tools is offered already, as acme/tools.");
    const { stdout } = await runHere(["models", "--json"], environment());
    const { data: models } = JSON.parse(stdout) as { data: { id: string; price: object }[] };
    expect(models.find(({ id }) => id === "acme/tools")?.price).toMatchObject({ input_micro_per_mtok: 3_000_000 });
  });

  test.each([
    ["unheard-of", /The list of acme has no model 'unheard-of'/],
    [
      "slow",
      /No price of slow is known: give a list of prices \(--list\), or write one with camino config set model acme\/slow/,
    ],
  ])("refuses to offer %s", async (name, sentence) => {
    const { status, stderr } = await camino("acme", "--offer", name, "--yes");
    expect(status).toBe(1);
    expect(stderr).toMatch(sentence);
  });
});

test("camino vendor list has the vendors that are enabled", async () => {
  const listed = await runHere(["vendor", "list"], environment());
  expect(listed.stdout).toMatch(/^acme +enabled /m);
  expect(listed.stdout).not.toContain("not_configured");
});

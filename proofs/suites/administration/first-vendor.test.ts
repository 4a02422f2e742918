import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ElementChange } from "../../../contract/configuration.ts";
import type { VendorOffers } from "../../../contract/offers.ts";
import type { Vendor } from "../../../contract/vendors.ts";
import { type Simulator, startSimulator } from "../../../simulator/server.ts";
import { Caller } from "../../support/calls.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";

/** The first vendor of a gateway on which nothing is configured: it is there before the first of its models is, which is chosen from its own list. */

setDefaultTimeout(60_000);

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.stop());

async function modelsOf(gateway: Gateway): Promise<string[]> {
  const { key } = await gateway.newKey();
  const response = await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
  const { data } = (await response.json()) as { data: { id: string }[] };
  return data.map(({ id }) => id);
}

const offersOf = (gateway: Gateway, vendor: string) => gateway.admin<VendorOffers>("GET", `/vendors/${vendor}/models`);

const nameOf = ({ upstream_model }: VendorOffers["data"][number]) => upstream_model;

async function offer(gateway: Gateway, id: string): Promise<void> {
  const element = encodeURIComponent(id);
  const value = { price: { input: "0", output: "0" } };
  await gateway.admin("PUT", `/configuration/elements/model/${element}`, { value, version: 0 });
}

describe("on a gateway that runs unconfigured", () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  test("a vendor of one's own is in force as soon as it is made, takes a credential, and is asked for its list", async () => {
    const value = { protocol: "chat-completions", base_url: simulator.base_url };
    const made = await gateway.admin<ElementChange>("PUT", "/configuration/elements/vendor/acme", {
      value,
      version: 0,
    });
    expect(made.effect.vendors.added).toEqual(["acme"]);
    expect(made.after).toMatchObject({ base_url: { "chat-completions": simulator.base_url } });
    await gateway.admin("PUT", "/vendors/acme/credential", { api_key: "sk-of-acme-0123456789" });
    expect(await gateway.admin<Vendor>("GET", "/vendors/acme")).toMatchObject({ status: "enabled", model_count: 0 });
    expect((await offersOf(gateway, "acme")).data.map(nameOf)).toContain("tools");
  });

  test("a known server of one's own is asked for its list once it has an address", async () => {
    const path = "/configuration/elements/vendor/ollama";
    await gateway.admin("PUT", path, { value: { base_url: simulator.base_url }, version: 0 });
    expect((await offersOf(gateway, "ollama")).data.map(nameOf)).toContain("echo");
  });

  test("an alias of the whole gateway leads to a simulated model, and no other name does", async () => {
    const put = (id: string, value: string) =>
      gateway.admin<ElementChange>("PUT", `/configuration/elements/alias/${encodeURIComponent(id)}`, {
        value,
        version: 0,
      });
    expect((await put("fast", "sim/echo")).effect.aliases?.added).toEqual(["fast"]);
    expect((await put("gpt-*", "sim/echo")).effect.aliases?.added).toEqual(["gpt-*"]);
    await expect(put("slow", "sim/nothing")).rejects.toThrow("unknown model");
    await expect(put("sim/tools", "sim/echo")).rejects.toThrow("a model's own id comes first");
    expect(await modelsOf(gateway)).toEqual(expect.arrayContaining(["fast", "gpt-*", "sim/echo"]));
    const { key } = await gateway.newKey();
    for (const name of ["fast", "gpt-anything"])
      expect((await new Caller(gateway, key).generate("chat", name)).status).toBe(200);
    const reloaded = await gateway.admin<{ left_out: string[] }>("POST", "/configuration/reload");
    expect(reloaded.left_out).toEqual([]);
    expect(await modelsOf(gateway)).toContain("fast");
  });

  test("the simulator answers until the first model is offered, and the demo key alone from then on", async () => {
    expect(await modelsOf(gateway)).toContain("sim/echo");
    await offer(gateway, "acme/tools");
    expect(await modelsOf(gateway)).toEqual(["acme/tools"]);
    const { key } = await gateway.newKey();
    expect((await new Caller(gateway, key).generate("chat", "acme/tools")).status).toBe(200);
    expect((await new Caller(gateway, key).generate("chat", "fast")).status).toBe(404);
    const demo_key = (await readFile(join(gateway.data, "demo-key"), "utf8")).trim();
    expect((await new Caller(gateway, demo_key).generate("chat", "fast")).status).toBe(200);
    const { text } = await gateway.admin<{ text: string }>("GET", "/configuration/export");
    expect(text).not.toContain("sim/");
  });
});

test("a server that a variable names is asked for its list before any of its models is offered", async () => {
  await using gateway = await startGateway({ env: { OLLAMA_HOST: new URL(simulator.base_url).host } });
  expect(await gateway.admin<Vendor>("GET", "/vendors/ollama")).toMatchObject({ status: "enabled", model_count: 0 });
  expect((await offersOf(gateway, "ollama")).data.map(nameOf)).toContain("echo");
  expect(await modelsOf(gateway)).toContain("sim/echo");
  await offer(gateway, "ollama/echo");
  expect(await modelsOf(gateway)).toEqual(["ollama/echo"]);
});

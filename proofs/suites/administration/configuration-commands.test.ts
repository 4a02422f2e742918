import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Element, ElementChange, ElementList } from "../../../contract/configuration.ts";
import { startSimulator } from "../../../simulator/server.ts";
import { type Ran, runCamino, runHere } from "../../support/camino.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";

/** The commands that show and change a running gateway's configuration, and the file that they write. */

const FILE = `
catalog: none
vendors: { sim: {}, other: { protocol: messages, base_url: "http://127.0.0.1:9/v1", api_key: sk-in-the-file } }
models: { acme/file: { price: { input: "1", output: "2" }, routes: [{ vendor: sim, upstream_model: echo }] } }
`;

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ config: FILE });
}, 60_000);
afterAll(() => gateway[Symbol.asyncDispose]());

function camino(...words: string[]): Promise<Ran> {
  return runHere(words, { cwd: gateway.data, env: { CAMINO_URL: gateway.url, CAMINO_DATA: gateway.data } });
}

async function words(...command: string[]): Promise<string> {
  const { status, stdout, stderr } = await camino(...command);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout;
}

async function aSimulator() {
  const simulator = await startSimulator();
  return { base_url: simulator.base_url, [Symbol.asyncDispose]: () => simulator.stop() };
}

const NEW = "{ price: { input: 3.00, output: 15.00 }, routes: [{ vendor: sim, upstream_model: echo }] }";

describe("camino config", () => {
  test("prints what a change would do, and makes it with --yes alone", async () => {
    const seen = await words("config", "set", "model", "acme/made", NEW);
    expect(seen).toContain('+ price:\n+   input: "3.00"');
    expect(seen).toContain("Nothing is changed yet: --yes applies it.");
    expect(await words("config", "list", "--search", "acme/made")).toContain("0 elements");
    expect(await words("config", "set", "model", "acme/made", NEW, "--yes")).toContain("acme/made has version 1");
    const changed = await words("config", "set", "model", "acme/made", NEW.replace("3.00", "4"), "--yes");
    expect(changed).toContain("~ price.input: 3.00 -> 4.00");
    expect(await words("config", "history", "model", "acme/made")).toContain("version 2: put by admin-token");
    expect(await words("config", "take-back", "model", "acme/made", "1", "--yes")).toContain(
      "~ price.input: 4.00 -> 3.00",
    );
  });

  test("tries out a model that is not stored, and says what its vendor says", async () => {
    expect(await words("config", "try", "model", "acme/tried", NEW)).toContain(
      "It answers: sim by chat-completions, as echo",
    );
    const elsewhere = "{ price: { input: 1, output: 1 }, routes: [{ vendor: other }] }";
    expect(await words("config", "try", "model", "acme/tried", elsewhere)).toContain("It does not answer: other");
    expect(await words("config", "list", "--search", "acme/tried")).toContain("0 elements");
  });

  test("tries out a new vendor with a model by the vendor's own name", async () => {
    await using simulator = await aSimulator();
    const value = `{ protocol: chat-completions, base_url: "${simulator.base_url}" }`;
    expect(await words("config", "try", "vendor", "newcomer", value, "--upstream-model", "echo")).toContain(
      "It answers: newcomer by chat-completions, as echo",
    );
    expect(await words("config", "list", "--search", "newcomer")).toContain("0 elements");
  });

  test("reads a value from a file, and keeps the digits that are written", async () => {
    await Bun.write(join(gateway.data, "price.yaml"), NEW.replace("3.00", "0.1000000000000000055"));
    const { stdout } = await camino(
      "config",
      "set",
      "model",
      "acme/fine",
      `@${gateway.data}/price.yaml`,
      "--yes",
      "--json",
    );
    expect((JSON.parse(stdout) as ElementChange).after).toMatchObject({ price: { input: "0.10" } });
    expect(await words("config", "show", "model", "acme/fine")).toContain('input: "0.1000000000000000055"');
  });

  test("lists where elements come from, and takes them over, retires, gives back and deletes them", async () => {
    expect(await words("config", "take-over", "model", "acme/file", "--yes")).toContain("the result is the same");
    const retired = await words("config", "retire", "model", "acme/file", "--yes");
    expect(retired).toContain("+ retired: true");
    const table = await words("config", "list", "--kind", "model");
    expect(table).toMatch(/model\s+acme\/file\s+file\s+console, over the file's\s+retired\s+2\s+admin-token/);
    expect(await words("config", "reinstate", "model", "acme/file", "--yes")).toContain("- retired: true");
    expect(await words("config", "give-back", "model", "acme/file", "--yes")).toContain("version 4");
    await words("config", "set", "alias", "fast", "acme/file", "--yes");
    expect(await words("config", "delete", "alias", "fast", "--yes")).toContain("- value: acme/file");
    const list = JSON.parse(await words("config", "list", "--origin", "file", "--json")) as ElementList;
    expect(list.data.map(({ id }) => id)).toEqual(["other", "sim", "acme/file"]);
    expect(list).toMatchObject({ total: 3, next_after: null, left_out: 0, catalog: "none" });
  });

  test.each([
    [["set", "model", "acme/bad", "{ price: { input: 1,5, output: 2 } }"], "price.5: found nothing"],
    [["set", "model", "acme/bad", "{ price"], "not valid YAML"],
    [["set", "models", "acme/bad", "{}"], "vendor, model, alias or limits"],
    [["set", "limits", "other", "{}"], "the only ones are 'default'"],
    [["delete", "model", "acme/file", "--yes"], "comes from the configuration file"],
    [["take-back", "model", "acme/file", "99", "--yes"], "no version 99"],
    [["take-back", "model", "acme/file", "last"], "the number of an earlier version"],
    [["retire", "vendor", "sim"], "models are"],
    [["show", "model", "acme/none"], "There is no model 'acme/none'"],
  ])("config %j is refused with what is wrong", async (command, told) => {
    const { status, stdout, stderr } = await camino("config", ...command);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toContain(told);
  });
});

describe("camino export", () => {
  test("writes a file that another gateway starts with, and that has no secret in it", async () => {
    const file = join(gateway.data, "in-force.yaml");
    const { status, stderr } = await runCamino(["export", "--output", file], {
      cwd: gateway.data,
      env: { CAMINO_URL: gateway.url, CAMINO_DATA: gateway.data },
    });
    expect(status).toBe(0);
    expect(stderr).toContain("Set CAMINO_OTHER_API_KEY before this file is used: the api_key of the vendor other.");
    const text = await Bun.file(file).text();
    expect(text).not.toContain("sk-in-the-file");
    const again = await camino("export", "--output", file);
    expect({ status: again.status, stderr: again.stderr }).toMatchObject({ status: 1 });
    expect(again.stderr).toContain("is there already");
    await using other = await startGateway({ config: text, env: { CAMINO_OTHER_API_KEY: "sk-in-the-file" } });
    const models = async (from: Gateway) => await from.admin<{ data: unknown[] }>("GET", "/models");
    expect((await models(other)).data).toEqual((await models(gateway)).data);
  }, 60_000);
});

test("a gateway that nobody configured is configured by its console alone, and is the simulator again when all is taken back", async () => {
  await using first = await startGateway();
  const put = (kind: string, id: string, value: unknown) =>
    first.admin<ElementChange>("PUT", `/configuration/elements/${kind}/${encodeURIComponent(id)}`, {
      value,
      version: 0,
    });
  const ids = async () => (await first.admin<{ data: { id: string }[] }>("GET", "/models")).data.map(({ id }) => id);
  expect(await ids()).toContain("sim/echo");
  await put("vendor", "local", { protocol: "chat-completions", base_url: "http://127.0.0.1:9/v1" });
  await put("model", "local/llama", { price: { input: "0", output: "0" } });
  expect(await ids()).toEqual(["local/llama"]);
  await first.admin("POST", "/configuration/elements/model/local%2Fllama/delete", { version: 1 });
  expect(await ids()).toContain("sim/echo");
}, 60_000);

test("a model may have a route to a vendor that a credential of the console enables, for as long as it does", async () => {
  await using first = await startGateway();
  await first.admin("PUT", "/vendors/mistral/credential", { api_key: "sk-of-the-console" });
  const model = { value: { price: { input: "1", output: "1" } }, version: 0 };
  await first.admin("PUT", "/configuration/elements/model/mistral%2Fown", model);
  const read = () => first.admin<Element>("GET", "/configuration/elements/model/mistral%2Fown");
  const until = async (status: string) => {
    while ((await read()).status !== status) await Bun.sleep(20);
  };
  expect(await read()).toMatchObject({ status: "in_force", effective: { routes: [{ vendor: "mistral" }] } });
  await first.admin("DELETE", "/vendors/mistral/credential");
  await until("left_out");
  expect((await read()).problem).toContain('the vendor "mistral", which is not enabled');
  await first.admin("PUT", "/vendors/mistral/credential", { api_key: "sk-of-the-console" });
  await until("in_force");
}, 60_000);

test("the workers of one gateway have a change within five seconds", async () => {
  await using several = await startGateway({ config: FILE, env: { CAMINO_WORKERS: "2" } });
  const { key } = await several.newKey();
  await several.admin("PUT", "/configuration/elements/alias/everywhere", { value: "acme/file", version: 0 });
  const since = performance.now();
  // Each call has a connection of its own, so that both workers are asked.
  const ask = async () => {
    const response = await fetch(`${several.url}/v1/models/everywhere`, {
      headers: { authorization: `Bearer ${key}`, connection: "close" },
    });
    await response.text();
    return response.status;
  };
  for (;;) {
    const statuses = await Promise.all(Array.from({ length: 12 }, ask));
    if (statuses.every((status) => status === 200)) break;
    if (performance.now() - since > 5000) throw new Error("a worker has not followed within five seconds");
    await Bun.sleep(50);
  }
}, 60_000);

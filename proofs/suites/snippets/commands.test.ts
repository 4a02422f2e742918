import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Simulator, startSimulator } from "../../../simulator/server.ts";
import { freshDatabase } from "../../support/postgres.ts";
import { BLOCKS, type Block, placeOf } from "./support/blocks.ts";
import { kindOf } from "./support/kinds.ts";
import { SCENES, type Scene, type Servers } from "./support/scenes.ts";
import { openStage, type Stage } from "./support/stage.ts";

/** Every command of the documents is run by a shell, whole and as it is written, in the surroundings that the document speaks of. */

setDefaultTimeout(120_000);

const COMMANDS = BLOCKS.filter((block) => kindOf(block)?.kind === "commands");

function sceneOf(block: Block): Scene | undefined {
  const scenes = SCENES.filter(({ document }) =>
    document.endsWith("/") ? block.document.startsWith(document) : document === block.document,
  );
  return (
    scenes.find(({ begins }) => begins?.some((beginning) => block.text.startsWith(beginning))) ??
    scenes.find(({ begins }) => begins === undefined)
  );
}

/** A document's commands with this gateway's address, a model that it has, and values for what a reader fills in. */
function forThisStage(text: string, stage: Stage, replaced: Readonly<Record<string, string>>, key: string): string {
  let script = text;
  for (const [placeholder, value] of Object.entries(replaced)) script = script.replaceAll(placeholder, value);
  return script
    .replaceAll("http://127.0.0.1:8787", stage.url)
    .replaceAll("cm-…", key)
    .replaceAll(/(?<=["=])(openai|anthropic)\/[\w.-]+/g, "sim/echo")
    .replaceAll(/\b([A-Z]+_API_KEY)=…/g, "$1=sk-of-a-test");
}

let simulator: Simulator;
let models: ReturnType<typeof Bun.serve>;
let servers: Servers;

beforeAll(async () => {
  simulator = await startSimulator();
  // A server of one's own with the models that the documents name.
  models = Bun.serve({
    ...{ hostname: "127.0.0.1", port: 0 },
    fetch: (request) => {
      const { pathname } = new URL(request.url);
      if (!pathname.endsWith("/models")) return fetch(`${simulator.url}${pathname}`, request);
      return Response.json({ object: "list", data: ["qwen3:8b", "llama3.2", "mistral-new"].map((id) => ({ id })) });
    },
  });
  servers = { vendor_url: `http://127.0.0.1:${models.port}` };
});

afterAll(async () => {
  await models?.stop(true);
  await simulator?.stop();
});

test("every document with commands has surroundings for them, and no others are kept", () => {
  expect(COMMANDS.filter((block) => sceneOf(block) === undefined).map(placeOf)).toEqual([]);
  const used = new Set(COMMANDS.map(sceneOf));
  expect(SCENES.filter((scene) => !used.has(scene)).map(({ document, begins }) => `${document} ${begins}`)).toEqual([]);
});

describe.each(SCENES.map((scene) => [`${scene.document} ${scene.begins ?? ""}`.trim(), scene] as const))(
  "%s",
  (_name, scene) => {
    let stage: Stage;
    let key = "";

    beforeAll(async () => {
      stage = await openStage((await scene.stage?.(servers)) ?? {});
      if (scene.served) await stage.serve();
      await scene.before?.(stage);
      if (!scene.served) return;
      const demo = join(stage.folder, "data/demo-key");
      key = (await readFile(demo, "utf8").catch(() => "")).trim() || (await madeKey(stage));
    });

    afterAll(() => stage[Symbol.asyncDispose]());

    const blocks = COMMANDS.filter((block) => sceneOf(block) === scene).map(
      (block) => [placeOf(block), block] as const,
    );
    test.each(blocks)("the commands at %s", async (_place, block) => {
      const replaced = (await scene.replace?.(block, stage)) ?? {};
      const script = forThisStage(block.text, stage, replaced, key);
      const parts = scene.before_line === undefined ? [script] : script.trim().split("\n");
      let said = "";
      for (const part of parts) {
        await scene.before_line?.(part, stage);
        const { status, stdout, stderr } = await stage.run(part, { CAMINO_API_KEY: key });
        expect({ part, status, stdout, stderr }).toMatchObject({ part, status: 0 });
        said += stdout + stderr;
      }
      expect(script).not.toMatch(/…(?!")/);
      expect((await scene.left?.(stage, said)) ?? null).toBeNull();
    });
  },
);

async function madeKey(stage: Stage): Promise<string> {
  await stage.admin("POST", "/accounts", { email: "commands@example.com", credit: "50" });
  return (await stage.admin<{ key: string }>("POST", "/keys", { account: "commands@example.com" })).key;
}

describe("variables", () => {
  const blocks = BLOCKS.filter((block) => kindOf(block)?.kind === "variables").map(
    (each) => [placeOf(each), each] as const,
  );

  test.each(blocks)("at %s start a gateway", async (_place, { text }) => {
    const secrets: Record<string, string> = {};
    const env: Record<string, string> = {};
    await using folder = await openStage({});
    for (const [, name = "", value = ""] of text.matchAll(/^(\w+)=(\S+)/gm)) {
      if (name === "CAMINO_DATABASE_URL") env[name] = await freshDatabase();
      else if (!name.endsWith("_FILE")) env[name] = "a-value-of-many-letters";
      else {
        secrets[value.slice(1)] = "a-secret-of-many-letters\n";
        env[name] = join(folder.folder, value);
      }
    }
    for (const [name, secret] of Object.entries(secrets)) await Bun.write(join(folder.folder, name), secret);
    expect(Object.keys(env).length).toBeGreaterThan(1);
    await using stage = await openStage({ env });
    await stage.serve();
    expect((await fetch(`${stage.url}/readyz`)).status).toBe(200);
  });
});

import { strict as assert } from "node:assert";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Step, scriptText } from "../../../../simulator/agent/script.ts";
import type { Scenario } from "../../client.ts";
import { redSquare, writeFile } from "../../files.ts";
import { recipeModel } from "../../recipe-model.ts";
import type { Session } from "../../session.ts";
import { takesBackThoughts } from "../../thoughts.ts";
import { type CodexOutput, mustRunCodex, type ProviderSetup, runCodex } from "./run.ts";

export const RECIPE_MODEL = recipeModel("use-codex", "model = ");

/** Codex reads, patches and writes files and runs commands, two of them at once. */
async function editLoop(session: Session, kind: string, way: ProviderSetup = "provider"): Promise<CodexOutput> {
  const tide = await writeFile(session.folder, "tide.txt", "high at noon\n");
  const added = join(session.folder, "added.txt");
  const steps: Step[] = [
    ["read", tide],
    ["edit", tide, "high at noon", "high at dusk"],
    ["write", added, "written"],
    [
      "together",
      [
        ["run", "cat tide.txt"],
        ["run", "echo second > second.txt"],
      ],
    ],
    ["run", "echo last words"],
  ];
  const told = await mustRunCodex(session, { model: session.model(kind), prompt: `Do: ${scriptText(steps)}`, way });
  assert.equal(await readFile(tide, "utf8"), "high at dusk\n");
  assert.equal((await readFile(added, "utf8")).trimEnd(), "written");
  assert.equal(await readFile(join(session.folder, "second.txt"), "utf8"), "second\n");
  assert.match(told.text, /last words/);
  const refused = session.vendorSaw.filter(({ status }) => status >= 400);
  assert.deepEqual(
    refused.map(({ status, path }) => `${status} on ${path}`),
    [],
  );
  return told;
}

/** The errors that its user sees. */
function errorsOf({ events }: CodexOutput): unknown[] {
  return events.filter(({ type, item }) => type === "error" || item?.type === "error");
}

async function compacts(session: Session, kind: string, way: ProviderSetup): Promise<void> {
  const steps: Step[] = Array.from({ length: 5 }, (_, nth) => ["run", `echo ${nth} >> steps.txt`]);
  const args = ["-c", "model_auto_compact_token_limit=40000", "-c", "model_context_window=100000"];
  await mustRunCodex(session, { model: session.model(kind), prompt: scriptText(steps), args, way });
  assert.equal(await readFile(join(session.folder, "steps.txt"), "utf8"), "0\n1\n2\n3\n4\n");
  const shrank = session.vendorSaw.some(
    ({ text }, nth) => text.length * 2 < (session.vendorSaw[nth - 1]?.text.length ?? 0),
  );
  assert(shrank, "it did not compact");
}

export const work: readonly Scenario[] = [
  {
    name: "reads, patches and writes files and runs commands",
    run: async (session) => void (await editLoop(session, "gpt-5.5")),
  },
  {
    name: "likewise with a model that it does not know",
    run: async (session) => void (await editLoop(session, "agent")),
  },
  {
    name: "likewise with `openai_base_url`, without an error on the way",
    async run(session) {
      const told = await editLoop(session, "gpt-5.5", "base-url");
      // One line of its log says that there are no WebSockets; Codex must not try them again.
      const tried = told.stderr.match(/WebSocket stage/g) ?? [];
      assert(tried.length <= 1, `${tried.length} attempts at a WebSocket: ${told.stderr}`);
      assert.deepEqual(errorsOf(told), []);
    },
  },
  {
    name: "warns of nothing under the recipe's name",
    async run(session) {
      const told = await mustRunCodex(session, { model: session.model(RECIPE_MODEL), prompt: "Hello." });
      assert.deepEqual(errorsOf(told), []);
    },
  },
  {
    name: "sees pictures, of the user and of a tool",
    async run(session) {
      const path = await writeFile(session.folder, "red.png", redSquare());
      const args = ["-i", path];
      const prompt = scriptText([["view", path]]);
      const { text } = await mustRunCodex(session, { model: session.model("gpt-5.5"), prompt, args });
      assert.match(text, /\(2 images\)/, `the model did not see both pictures: ${text}`);
    },
  },
  {
    name: "shows reasoning, and sends it back as it was",
    async run(session) {
      const prompt = scriptText([
        ["run", "echo one"],
        ["run", "echo two"],
      ]);
      const args = ["-c", 'model_reasoning_effort="high"', "-c", 'model_reasoning_summary="detailed"'];
      const { events } = await mustRunCodex(session, { model: session.model("gpt-5.5"), prompt, args });
      const thoughts = events.filter(({ item }) => item?.type === "reasoning");
      assert(thoughts.length >= 2, `${thoughts.length} thoughts were shown`);
      assert(
        session.vendorSaw.every(({ status }) => status === 200),
        "the vendor refused what came back",
      );
    },
  },
  {
    name: "thinks with the effort `max` where the model lists it, and says which there are where it does not",
    async run(session) {
      const prompt = scriptText([["run", "echo one"]]);
      const args = ["-c", 'model_reasoning_effort="max"'];
      await mustRunCodex(session, { model: session.model("agent-max"), prompt, args });
      const { length } = session.vendorSaw;
      const told = await runCodex(session, { model: session.model("agent"), prompt, args });
      assert.match(JSON.stringify(errorsOf(told)), /reasoning\.effort.*max.*allowed.*xhigh/);
      assert.equal(session.vendorSaw.length, length);
    },
  },
  takesBackThoughts(async (session, model, prompt) => (await mustRunCodex(session, { model, prompt })).text),
  {
    name: "answers in a schema",
    async run(session) {
      const properties = { city: { type: "string", enum: ["Lisbon"] } };
      const schema = { type: "object", properties, required: ["city"], additionalProperties: false };
      const path = await writeFile(session.folder, "schema.json", JSON.stringify(schema));
      const args = ["--output-schema", path];
      const prompt = scriptText([["run", "echo one"]]);
      const { text } = await mustRunCodex(session, { model: session.model("gpt-5.5"), prompt, args });
      assert.deepEqual(JSON.parse(text), { city: "Lisbon" });
    },
  },
  {
    name: "goes on with an earlier session",
    async run(session) {
      const model = session.model("gpt-5.5");
      await mustRunCodex(session, { model, prompt: scriptText([["run", "echo 1 > first.txt"]]) });
      const command = ["resume", "--last"];
      await mustRunCodex(session, { model, prompt: scriptText([["run", "cat first.txt > second.txt"]]), command });
      assert.equal(await readFile(join(session.folder, "second.txt"), "utf8"), "1\n");
      assert.match(session.vendorSaw.at(-1)?.text ?? "", /echo 1/, "the earlier session was not sent along");
    },
  },
  {
    name: "compacts a long conversation, and goes on",
    run: (session) => compacts(session, "agent-wordy", "provider"),
  },
  {
    name: "likewise with `openai_base_url`",
    run: (session) => compacts(session, "agent-wordy", "base-url"),
  },
];

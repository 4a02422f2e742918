import { strict as assert } from "node:assert";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Step, scriptText } from "../../../../simulator/agent/script.ts";
import type { Scenario } from "../../client.ts";
import { onePagePdf, redSquare, writeFile } from "../../files.ts";
import { recipeModel } from "../../recipe-model.ts";
import type { Session } from "../../session.ts";
import { takesBackThoughts } from "../../thoughts.ts";
import { mustRunClaude } from "./run.ts";

export const RECIPE_MODEL = recipeModel("use-claude-code", "ANTHROPIC_MODEL=");

/** Claude Code reads, edits and writes files and runs commands, two of them at once. */
async function editLoop(session: Session, kind: string): Promise<void> {
  const tide = await writeFile(session.folder, "tide.txt", "high at noon\n");
  const added = join(session.folder, "added.txt");
  const steps: Step[] = [
    ["read", tide],
    ["edit", tide, "noon", "dusk"],
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
  const { text } = await mustRunClaude(session, { model: session.model(kind), prompt: `Do: ${scriptText(steps)}` });
  assert.equal(await readFile(tide, "utf8"), "high at dusk\n");
  assert.equal(await readFile(added, "utf8"), "written");
  assert(existsSync(join(session.folder, "second.txt")), "the second of two calls at once was not made");
  assert.match(text, /done\. last words/);
  // Each step is one answer, and one more answer ends the work; whatever else Claude Code asked for, no request was
  // refused.
  const refused = session.vendorSaw.filter(({ status }) => status !== 200);
  assert.deepEqual(
    refused.map(({ status, text: body }) => `${status}: ${body.slice(0, 200)}`),
    [],
  );
}

export const work: readonly Scenario[] = [
  {
    name: "reads, edits and writes files and runs commands, with a model that it does not know",
    run: (session) => editLoop(session, "agent"),
  },
  { name: "likewise under the name of an older Claude", run: (session) => editLoop(session, "claude-sonnet-4-5") },
  { name: "likewise under the name of a newer Claude", run: (session) => editLoop(session, "claude-opus-4-8") },
  {
    name: "warns of nothing under the recipe's name",
    async run(session) {
      const { stderr } = await mustRunClaude(session, { model: session.model(RECIPE_MODEL), prompt: "Hello." });
      assert.equal(stderr, "");
    },
  },
  {
    name: "gives work to a sub-agent",
    async run(session) {
      const steps: Step[] = [
        [
          "agent",
          [
            ["run", "echo below > below.txt"],
            ["say", "the sub-agent is done"],
          ],
        ],
      ];
      await mustRunClaude(session, { model: session.model("agent"), prompt: scriptText(steps) });
      assert.equal(await readFile(join(session.folder, "below.txt"), "utf8"), "below\n");
      const came_back = session.vendorSaw.some(({ text }) => text.includes("hand-back"));
      assert(came_back, "what the sub-agent said did not come back");
    },
  },
  {
    name: "sees a picture",
    async run(session) {
      const path = await writeFile(session.folder, "red.png", redSquare());
      const { text } = await mustRunClaude(session, {
        model: session.model("agent"),
        prompt: scriptText([["read", path]]),
      });
      assert.match(text, /\(1 images\)/, `the model saw no picture: ${text}`);
      assert.match(session.vendorSaw.at(-1)?.text ?? "", /iVBORw0KGgo/, "its bytes did not reach the vendor");
    },
  },
  {
    name: "goes on after it has read a PDF",
    async run(session) {
      const path = await writeFile(session.folder, "tides.pdf", onePagePdf("Tides of Lisbon"));
      const prompt = scriptText([
        ["read", path],
        ["run", "echo after the PDF"],
      ]);
      const { text } = await mustRunClaude(session, { model: session.model("agent"), prompt });
      assert.match(text, /after the PDF/);
      const saw = session.vendorSaw.map((request) => request.text).join("\n");
      const told = session.protocol === "messages" ? /JVBERi0/ : /document|PDF/i;
      assert.match(saw, told, "the vendor got neither the document nor a word about it");
    },
  },
  {
    name: "shows thoughts, and sends them back as they were",
    async run(session) {
      const prompt = scriptText([
        ["run", "echo one"],
        ["run", "echo two"],
      ]);
      const { events } = await mustRunClaude(session, {
        model: session.model("agent"),
        prompt,
        args: ["--effort", "high"],
      });
      const blocks = events.flatMap(({ message }) => (Array.isArray(message?.content) ? message.content : []));
      const thoughts = blocks.filter(({ type }) => type === "thinking" || type === "redacted_thinking");
      assert(thoughts.length >= 2, `${thoughts.length} thoughts were shown`);
      // The simulator refuses thinking that was changed on the way.
      assert.deepEqual(session.vendorSaw.filter(({ status }) => status !== 200).length, 0);
    },
  },
  takesBackThoughts(async (session, model, prompt) => (await mustRunClaude(session, { model, prompt })).text),
  {
    name: "compacts a long conversation, and goes on",
    async run(session) {
      const model = session.model("agent-wordy");
      const steps: Step[] = Array.from({ length: 10 }, (_, nth) => ["run", `echo ${nth} >> steps.txt`]);
      const env = { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "100000" };
      const { events } = await mustRunClaude(session, { model, prompt: scriptText(steps), env });
      assert.equal(await readFile(join(session.folder, "steps.txt"), "utf8"), "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n");
      const compacted = events.filter(({ subtype }) => subtype === "compact_boundary");
      assert(compacted.length > 0, "it did not compact");
    },
  },
  {
    name: "goes on with an earlier session",
    async run(session) {
      const model = session.model("agent");
      const first = await mustRunClaude(session, { model, prompt: scriptText([["run", "echo 1 > first.txt"]]) });
      const args = ["--resume", first.result.session_id ?? ""];
      await mustRunClaude(session, { model, prompt: scriptText([["run", "cat first.txt > second.txt"]]), args });
      assert.equal(await readFile(join(session.folder, "second.txt"), "utf8"), "1\n");
      assert.match(session.vendorSaw.at(-1)?.text ?? "", /first\.txt/, "the earlier session was not sent along");
    },
  },
  {
    name: "answers in a schema",
    async run(session) {
      const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
      const prompt = scriptText([["call", "StructuredOutput", { city: "Lisbon" }]]);
      const args = ["--json-schema", JSON.stringify(schema)];
      const { result } = await mustRunClaude(session, { model: session.model("agent"), prompt, args });
      assert.deepEqual("structured_output" in result && result.structured_output, { city: "Lisbon" });
    },
  },
];

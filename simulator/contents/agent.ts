import { progressIn, type Step, scriptText } from "../agent/script.ts";
import { callFor } from "../agent/use-tool.ts";
import { perform, textBlock } from "../answer.ts";
import type { Ask, AskedTool } from "../ask.ts";
import { type Block, type Performance, slices } from "../performance.ts";
import { instanceOf } from "../schema-instance.ts";
import { echo } from "./echo.ts";
import { json } from "./json.ts";
import { reasoningFor } from "./reason.ts";

const MOST_OF_A_RESULT = 500;
const PIECE_LENGTH = 24;

/**
 * Acts as the model of an agent by the script in the conversation (`agent/script.ts`): one step in each answer, with
 * the client's tools. Asked for a summary, it writes the steps that are left, so that the script survives a compaction.
 * Without a script or tools it answers like `echo`. It adds reasoning where the request allows it.
 */
export function agent(ask: Ask): Performance {
  const progress = progressIn(ask.turns ?? []);
  if (progress === null) return ask.format.type === "text" ? echo(ask) : json(ask);
  if (progress.must_summarize) return summarize(ask, progress.left);
  const [next] = progress.left;
  // A client asks without tools for titles of conversations and the like.
  if (ask.tools.length === 0 && next !== undefined && next[0] !== "say") return end(ask, "Simulated: no tools.");
  if (next === undefined) return end(ask, `Simulated: done. ${resultsOf(ask)}`);
  if (next[0] === "say") return end(ask, next[1]);
  const steps = next[0] === "together" ? next[1] : [next];
  const blocks = steps.map((step) => blockFor(step, ask));
  return perform(ask, { reasoning: reasoningFor(ask), blocks: [...spoken(ask), ...blocks] });
}

/** `@talk=N` writes N tokens before each step, so that a conversation grows until its client compacts it. */
function spoken({ model: { params } }: Ask): Block[] {
  const tokens = params.count("talk", 0);
  return tokens === 0
    ? []
    : [{ type: "text", pieces: Array<string>(Math.ceil(tokens / 100)).fill("word ".repeat(80)) }];
}

function blockFor(step: Step, { tools }: Ask): Block {
  const call = step[0] === "say" || step[0] === "together" ? null : callFor(step, tools);
  const offered = tools.map(({ name }) => name).join(", ");
  return call ?? textBlock(`Simulated: nothing to ${step[0]} with among ${offered}.`);
}

function summarize(ask: Ask, left: readonly Step[]): Performance {
  return end(ask, `<summary>Simulated summary. What is left: ${scriptText(left)}</summary>`);
}

function end(ask: Ask, text: string): Performance {
  if (ask.format.type !== "text") return json(ask);
  const tool = finalAnswerTool(ask);
  const block = tool === null ? textBlock(text) : finalAnswer(tool);
  return perform(ask, { reasoning: reasoningFor(ask), blocks: [block] });
}

/** The tool whose description says that it gives the final answer; it replaces a schema where a vendor accepts none. */
function finalAnswerTool({ tools, tool_choice }: Ask): AskedTool | null {
  if (tool_choice === "none") return null;
  return tools.find(({ description }) => /\bgives the final answer\b/i.test(description)) ?? null;
}

function finalAnswer({ name, schema, custom }: AskedTool): Block {
  const pieces = slices(JSON.stringify(instanceOf(schema)), PIECE_LENGTH);
  return { type: "tool_call", name, pieces, custom };
}

function resultsOf({ tool_results, images }: Ask): string {
  const said = tool_results.map(({ text }) => text.slice(0, MOST_OF_A_RESULT)).join("; ");
  return images.length > 0 ? `${said} (${images.length} images)` : said;
}

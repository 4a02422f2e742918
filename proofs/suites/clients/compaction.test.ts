import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { checkResponsesStream } from "../../grammars/responses/stream-grammar.ts";
import { type FiveVendors, PROTOCOLS, startFiveVendors } from "./five-vendors.ts";

/**
 * Compaction as Codex does it (docs/rulings.md 167): Codex sends the whole conversation again with a trigger item at
 * its end, and gets one compaction item, which then stands for the conversation.
 */

type Item = Readonly<Record<string, unknown>>;

let five: FiveVendors;
beforeAll(async () => {
  five = await startFiveVendors();
});
afterAll(() => five[Symbol.asyncDispose]());

const said = (role: "user" | "assistant", text: string): Item => ({
  type: "message",
  role,
  content: [{ type: role === "user" ? "input_text" : "output_text", text }],
});
const TOOLS = [{ type: "function", name: "look", parameters: { type: "object", properties: {} }, strict: false }];
const CALL = [
  { type: "function_call", call_id: "call_1", name: "look", arguments: "{}" },
  { type: "function_call_output", call_id: "call_1", output: "done: 42 tides" },
];
const TRIGGER = { type: "compaction_trigger" };

async function ask(model: string, input: readonly Item[], more: Item = {}): Promise<Response> {
  return fetch(`${five.gateway.url}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${five.key}` },
    body: JSON.stringify({ model, store: false, tools: TOOLS, tool_choice: "auto", input, ...more }),
  });
}

async function outputOf(response: Response): Promise<Item[]> {
  const text = await response.text();
  expect([response.status, text]).toEqual([200, expect.any(String)]);
  const { output, status } = JSON.parse(text) as { output: Item[]; status: string };
  expect(status).toBe("completed");
  return output;
}

/** The items that a stream reports as done. */
async function streamedItems(response: Response): Promise<Item[]> {
  expect(response.status).toBe(200);
  const text = await response.text();
  expect(checkResponsesStream(text)).toEqual({ end: "completed" });
  const events = text
    .split("\n")
    .filter((line) => line.startsWith("data: "))
    .map((line) => JSON.parse(line.slice("data: ".length)) as Item);
  return events.filter(({ type }) => type === "response.output_item.done").map(({ item }) => item as Item);
}

const vendorSaw = () => JSON.stringify(five.simulator.log.last?.body);

describe.each(PROTOCOLS)("on %s", (vendor) => {
  const history = [said("user", "Count the tides."), ...CALL, said("assistant", "42.")];

  test.each([true, false])(
    "a trigger is answered by one compaction item, which is read again (stream: %p)",
    async (stream) => {
      const model = `${vendor}/echo`;
      const response = await ask(model, [...history, TRIGGER], { stream });
      const items = stream ? await streamedItems(response) : await outputOf(response);
      expect(items).toEqual([
        { id: expect.stringMatching(/^cmp_/), type: "compaction", encrypted_content: expect.stringMatching(/./) },
      ]);
      // The vendor gets the whole conversation to sum up, and may call no tool.
      expect(vendorSaw()).toContain("42 tides");
      const next = await ask(model, [said("user", "Count the tides."), ...items, said("user", "And now?")]);
      expect(JSON.stringify(await outputOf(next))).toContain("And now?");
      if (vendor !== "responses") expect(vendorSaw()).toContain("What was said before is replaced by this summary");
    },
  );

  test("a summary that another vendor's model wrote goes on", async () => {
    const items = await outputOf(await ask("gemini/echo", [...history, TRIGGER]));
    const next = await ask(`${vendor}/echo`, [...items, said("user", "And now?")]);
    expect(JSON.stringify(await outputOf(next))).toContain("And now?");
    expect(vendorSaw()).toContain("What was said before is replaced by this summary");
  });

  test("a model that wants to call tools, or thinks first, still sums up", async () => {
    const items = await streamedItems(await ask(`${vendor}/agent`, [...history, TRIGGER], { stream: true }));
    expect(items.filter(({ type }) => type === "compaction")).toHaveLength(1);
  });
});

test("an item that only OpenAI can read is refused elsewhere, with a sentence that says so", async () => {
  const items = await outputOf(await ask("responses/echo", [said("user", "Hi"), TRIGGER]));
  const refused = await ask("gemini/echo", [...items, said("user", "And now?")]);
  expect([refused.status, await refused.json()]).toEqual([
    400,
    {
      error: {
        message: expect.stringContaining('"compaction"'),
        type: "invalid_request_error",
        param: "input[0]",
        code: "unsupported_responses_feature",
      },
    },
  ]);
});

test("the official client reads the item, and sends it again", async () => {
  const client = new OpenAI({ apiKey: five.key, baseURL: `${five.gateway.url}/v1`, maxRetries: 0 });
  const first = await client.responses.create({
    model: "messages/echo",
    input: [{ role: "user", content: "Hello" }, { type: "compaction_trigger" }],
  });
  const [item] = first.output;
  if (item?.type !== "compaction") throw new Error(`the first item is ${item?.type}`);
  const second = await client.responses.create({
    model: "gemini/echo",
    input: [item, { role: "user", content: "Go on" }],
  });
  expect(second.output_text).toContain("Go on");
});

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Simulator, startSimulator } from "./server.ts";
import { PLAIN_REQUESTS, send } from "./testing/requests.ts";

let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.stop());

/** Every usage object in an answer, streamed or not, in the order it was sent. */
function usagesIn(text: string): unknown[] {
  const found: unknown[] = [];
  const documents = text.startsWith("{") ? [text] : text.split("\n").filter((line) => line.startsWith("data: {"));
  for (const document of documents) {
    JSON.parse(document.replace(/^data: /, ""), (key, value: unknown) => {
      if (key === "usage" && value !== null) found.push(value);
      return value;
    });
  }
  return found;
}

/** Every value of a usage object that stands in the place of a count. */
function countsIn(usage: unknown): unknown[] {
  const counts: unknown[] = [];
  JSON.parse(JSON.stringify(usage), (key, value: unknown) => {
    if (key.includes("tokens") && (typeof value === "number" || typeof value === "string")) counts.push(value);
    return value;
  });
  return counts;
}

describe.each(PLAIN_REQUESTS)("on $protocol", (request) => {
  async function usages(model: string, stream: boolean): Promise<unknown[]> {
    return usagesIn(await (await send(simulator.url, request, model, stream)).text());
  }

  const LIES: [string, (count: unknown) => boolean][] = [
    ["usage-negative", (count) => typeof count === "number" && count < 0],
    ["usage-fraction", (count) => typeof count === "number" && !Number.isInteger(count)],
    ["usage-huge", (count) => typeof count === "number" && count > 2 ** 31],
    ["usage-text", (count) => typeof count === "string"],
  ];

  test.each(LIES)("every count of %s is wrong", async (model, isLie) => {
    for (const stream of [true, false]) {
      const counts = (await usages(model, stream)).flatMap(countsIn);
      expect(counts.length).toBeGreaterThan(2);
      expect(counts.every(isLie)).toBe(true);
    }
  });

  test("zero and null stand in every count", async () => {
    for (const stream of [true, false]) {
      const zeros = (await usages("echo@usage=zero", stream)).flatMap(countsIn);
      expect([zeros.length > 2, zeros.every((count) => count === 0)]).toEqual([true, true]);
      expect((await usages("echo@usage=null", stream)).flatMap(countsIn)).toEqual([]);
    }
  });

  test("billions are told of the output alone, or of the reasoning alone", async () => {
    const answers = (await usages("reason@usage=billions", false)).flatMap(countsIn);
    expect(answers.filter((count) => count === 2_000_000_000)).toHaveLength(1);
    const reasoned = (await usages("reason@usage=reasoning-above-output", false)).flatMap(countsIn);
    // A plain request of messages asks for no thinking.
    const lies = request.protocol === "messages" ? 0 : 1;
    expect(reasoned.filter((count) => count === 2_000_000_000)).toHaveLength(lies);
  });

  test("no-usage reports none, streamed or not", async () => {
    expect(await usages("no-usage", true)).toEqual([]);
    expect(await usages("no-usage", false)).toEqual([]);
  });

  test("usage-early-and-late sends two usages, the true one last", async () => {
    const all = await usages("usage-early-and-late", true);
    const [true_one] = await usages("echo", false);
    expect(all.length).toBeGreaterThanOrEqual(2);
    expect(all[0]).not.toEqual(all.at(-1));
    expect(true_one).toMatchObject(all.at(-1) as object);
  });

  test("the model's name may set the counts", async () => {
    const [usage] = await usages("echo@input=1000&output=50&cache_read=300&cache_write=200&reasoning=7", false);
    const beside = {
      input_tokens: 1000,
      cache_read_input_tokens: 300,
      cache_creation_input_tokens: 200,
      output_tokens: 50,
    };
    const inside = { completion_tokens: 50, prompt_tokens: 1500, total_tokens: 1550 };
    const expected = {
      "chat-completions": { ...inside, prompt_tokens_details: { cached_tokens: 300, cache_write_tokens: 200 } },
      responses: { input_tokens: 1500, output_tokens: 50, total_tokens: 1550 },
      messages: { ...beside, output_tokens_details: { thinking_tokens: 7 } },
    };
    expect(usage).toMatchObject(expected[request.protocol as keyof typeof expected]);
  });

  test("usage-cached-above-input has more cached tokens than input", async () => {
    const counts = (await usages("usage-cached-above-input", false)).flatMap(countsIn).map(Number);
    const [usage] = await usages("usage-cached-above-input", false);
    const wire = usage as { prompt_tokens?: number; input_tokens?: number };
    expect(Math.max(...counts) > (wire.prompt_tokens ?? wire.input_tokens ?? 0)).toBe(true);
  });
});

test("usage-split sends the input of a messages stream only at its beginning", async () => {
  const messages = PLAIN_REQUESTS.find(({ protocol }) => protocol === "messages");
  if (messages === undefined) throw new Error("no messages request");
  const text = await (await send(simulator.url, messages, "usage-split", true)).text();
  const [first, last] = usagesIn(text);
  expect(first).toHaveProperty("input_tokens");
  expect(last).not.toHaveProperty("input_tokens");
  expect(last).toHaveProperty("output_tokens");
});

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, isStepCount, streamText, tool } from "ai";
import OpenAI from "openai";
import { z } from "zod";
import { type FiveVendors, PROTOCOLS, startFiveVendors } from "./five-vendors.ts";

// The SDK's warnings about models that it does not know do not matter here.
globalThis.AI_SDK_LOG_WARNINGS = false;

/** Clients that leave the conversation to the server, which is the default of OpenAI's and of the AI SDK. */

let five: FiveVendors;
beforeAll(async () => {
  five = await startFiveVendors();
});
afterAll(() => five[Symbol.asyncDispose]());

const settings = () => ({ baseURL: `${five.gateway.url}/v1`, apiKey: five.key });

function fiveSteps() {
  const seen: string[] = [];
  const step = tool({
    description: "Takes the next step.",
    inputSchema: z.object({ place: z.string() }),
    execute: ({ place }) => {
      seen.push(place);
      return seen.length === 5 ? "step 5, done" : `step ${seen.length}`;
    },
  });
  return { seen, tools: { step } };
}

const REASONING = { openai: { forceReasoning: true, reasoningEffort: "low", reasoningSummary: "auto" } } as const;

describe.each([...PROTOCOLS])("the AI SDK's own OpenAI provider on %s", (vendor) => {
  test("completes a tool loop", async () => {
    const { seen, tools } = fiveSteps();
    const { text } = await generateText({
      model: createOpenAI(settings())(`${vendor}/tools`),
      tools,
      prompt: "Go on until it is done.",
      stopWhen: isStepCount(10),
    });
    expect(text).toBe("Simulated answer from tool results: step 5, done");
    expect(seen).toHaveLength(5);
  });

  test("completes a loop that thinks before each call, streamed", async () => {
    const { seen, tools } = fiveSteps();
    const result = streamText({
      model: createOpenAI(settings())(`${vendor}/reason`),
      tools,
      prompt: "Go on until it is done.",
      stopWhen: isStepCount(10),
      providerOptions: REASONING,
    });
    expect(await result.text).toContain("step 5, done");
    expect(seen).toHaveLength(5);
  });
});

describe.each([...PROTOCOLS])("the official SDK on %s", (vendor) => {
  const client = () => new OpenAI(settings());
  const model = `${vendor}/echo`;

  test("goes on from a response, whole and streamed, and reads it back", async () => {
    const openai = client();
    const first = await openai.responses.create({ model, input: "one", instructions: "Be brief." });
    const stream = await openai.responses.create({ model, input: "two", previous_response_id: first.id, stream: true });
    const events = await Array.fromAsync(stream);
    const last = events.at(-1);
    if (last?.type !== "response.completed") throw new Error(`the stream ended with ${last?.type}`);
    const second = last.response;
    const third = await openai.responses.create({ model, input: "three", previous_response_id: second.id });
    for (const [each, before] of [
      [first, null],
      [second, first.id],
      [third, second.id],
    ] as const)
      expect(each.previous_response_id ?? null).toBe(before);
    expect(events[0]).toMatchObject({ response: { previous_response_id: first.id } });
    const grown = [first, second, third].map(({ usage }) => usage?.input_tokens ?? 0);
    expect(grown[2]).toBeGreaterThan(grown[1] ?? 0);
    expect(await openai.responses.retrieve(third.id)).toEqual(third);
    expect(await openai.responses.retrieve(second.id)).toMatchObject({ id: second.id, output: second.output });
    const items = await Array.fromAsync(openai.responses.inputItems.list(third.id, { order: "asc", limit: 2 }));
    expect(items.map((item) => ("content" in item ? textOf(item.content) : item.type))).toEqual([
      ...["one", "Simulated answer: one", "two", "Simulated answer: two", "three"],
    ]);
    expect(new Set(items.map(({ id }) => id)).size).toBe(5);
    const newest = await openai.responses.inputItems.list(third.id, { limit: 1 });
    expect(newest).toMatchObject({ has_more: true, data: [{ id: items[4]?.id }] });
  });

  test("refers to an item by the id that the list shows", async () => {
    const openai = client();
    const first = await openai.responses.create({ model, input: "once said" });
    const [item] = (await openai.responses.inputItems.list(first.id)).data;
    const input = [{ type: "item_reference" as const, id: item?.id ?? "" }];
    const again = await openai.responses.create({ model, input });
    expect(again.output_text).toBe("Simulated answer: once said");
  });

  test("deletes a response, and then it is gone", async () => {
    const openai = client();
    const first = await openai.responses.create({ model, input: "one" });
    const second = await openai.responses.create({ model, input: "two", previous_response_id: first.id });
    await openai.responses.delete(first.id);
    expect(await statusOf(openai.responses.retrieve(first.id))).toBe("404 not_found");
    expect(await statusOf(openai.responses.delete(first.id))).toBe("404 not_found");
    for (const previous_response_id of [first.id, second.id]) {
      expect(await statusOf(openai.responses.create({ model, input: "three", previous_response_id }))).toBe(
        "400 previous_response_not_found",
      );
    }
  });

  test("stores no response of a request with `store: false`", async () => {
    const openai = client();
    const first = await openai.responses.create({ model, input: "one", store: false });
    expect(first.output_text).toBe("Simulated answer: one");
    expect(await statusOf(openai.responses.retrieve(first.id))).toBe("404 not_found");
  });
});

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content.map(({ text }: { text: string }) => text).join("") : "";
}

function statusOf(promise: PromiseLike<unknown>): PromiseLike<string> {
  return promise.then(
    () => "no error",
    (error: unknown) => (error instanceof OpenAI.APIError ? `${error.status} ${error.code}` : String(error)),
  );
}

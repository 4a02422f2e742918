/** Anthropic's SDK for JavaScript: messages, its helpers, errors. */

import Anthropic from "@anthropic-ai/sdk";
import { expect, KEY, model, PIXEL, refusal, runAll, URL_, WEATHER } from "./checks.mjs";

const client = new Anthropic({ baseURL: URL_, apiKey: KEY, maxRetries: 0 });
const TOOL = { name: "weather", description: "Weather", input_schema: WEATHER };
const said = (content) => [{ role: "user", content }];
const textOf = ({ content }) => content.map((block) => (block.type === "text" ? block.text : "")).join("");

await runAll({
  "answers with usage": async () => {
    const message = await client.messages.create({ model: model("echo"), max_tokens: 99, messages: said("one two") });
    expect(textOf(message) === "Simulated answer: one two" && message.usage.output_tokens > 0, message);
  },
  streams: async () => {
    let text = "";
    const stream = client.messages.stream({ model: model("echo"), max_tokens: 99, messages: said("one two") });
    stream.on("text", (delta) => (text += delta));
    const message = await stream.finalMessage();
    expect(text === textOf(message) && text === "Simulated answer: one two", { text, message });
  },
  "a system message amid the conversation": async () => {
    const messages = [...said("Hello"), { role: "system", content: "Answer in French." }];
    const message = await client.messages.create({ model: model("echo"), max_tokens: 99, messages });
    expect(textOf(message).includes("Simulated answer"), message);
  },
  "a tool loop with thinking given back": async () => {
    const messages = said("Go");
    let message;
    for (let turn = 0; turn < 4; turn += 1) {
      message = await client.messages.create({
        model: model("reason"),
        max_tokens: 4000,
        thinking: { type: "enabled", budget_tokens: 1024 },
        tools: [TOOL],
        messages,
      });
      messages.push({ role: "assistant", content: message.content });
      const calls = message.content.filter(({ type }) => type === "tool_use");
      if (calls.length === 0) break;
      messages.push(...said(calls.map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: "done" }))));
    }
    expect(textOf(message).includes("done"), message);
  },
  "the tool runner": async () => {
    const cities = [];
    const run = async ({ city }) => {
      cities.push(city);
      return "sunny, done";
    };
    const runner = client.beta.messages.toolRunner({
      model: model("tools-until-done"),
      max_tokens: 1000,
      messages: said("Go"),
      tools: [{ ...TOOL, run, parse: (input) => input }],
      max_iterations: 5,
    });
    const message = await runner.runUntilDone();
    expect(cities.length > 0 && textOf(message).includes("done"), { cities, message });
  },
  "sees an image": async () => {
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } };
    const messages = said([image, { type: "text", text: "What?" }]);
    const message = await client.messages.create({ model: model("vision"), max_tokens: 99, messages });
    expect(textOf(message).includes("1 image: image/png"), message);
  },
  "has documents read, a PDF and a text, and their tokens counted": async () => {
    const pdf = { type: "base64", media_type: "application/pdf", data: "JVBERi0xLjQK" };
    const text = { type: "text", media_type: "text/plain", data: "high at noon" };
    for (const source of [pdf, text]) {
      const asked = {
        model: model("vision"),
        messages: said([
          { type: "document", source },
          { type: "text", text: "What?" },
        ]),
      };
      const message = await client.messages.create({ ...asked, max_tokens: 99 });
      expect(message.stop_reason === "end_turn" && textOf(message) !== "", message);
      const { input_tokens } = await client.messages.countTokens(asked);
      expect(input_tokens > 0, input_tokens);
    }
  },
  "gives structured output": async () => {
    const output_config = { format: { type: "json_schema", schema: WEATHER } };
    const asked = { model: model("json"), max_tokens: 500, messages: said("Where?"), output_config };
    const message = await client.messages.create(asked);
    expect(typeof JSON.parse(textOf(message)).city === "string", message);
  },
  "errors have their true status": async () => {
    for (const [kind, status] of [
      ["fail-400", 400],
      ["fail-429", 429],
      ["fail-503", 502],
    ]) {
      const asked = { model: model(kind), max_tokens: 9, messages: said("x") };
      for (const call of [() => client.messages.create(asked), () => client.messages.stream(asked).finalMessage()]) {
        const error = await refusal(call);
        expect(error.status === status, { kind, status: error.status, message: error.message });
      }
    }
  },
  "cancelling ends the call": async () => {
    const asked = { model: model("slow"), max_tokens: 99, messages: said("1 2 3 4"), stream: true };
    for await (const _ of await client.messages.create(asked)) break;
    const after = { model: model("echo"), max_tokens: 99, messages: said("still here") };
    expect(textOf(await client.messages.create(after)).includes("still here"), "no answer");
  },
});

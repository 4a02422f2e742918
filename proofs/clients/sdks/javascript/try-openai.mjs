/** openai for JavaScript: chat completions, responses, errors. */

import OpenAI from "openai";
import { expect, KEY, model, PIXEL, refusal, runAll, URL_, WEATHER } from "./checks.mjs";

const client = new OpenAI({ baseURL: `${URL_}/v1`, apiKey: KEY, maxRetries: 0 });
const TOOL = {
  type: "function",
  function: { name: "weather", description: "Weather", parameters: WEATHER, strict: true },
};
const FLAT = { type: "function", name: "weather", description: "Weather", parameters: WEATHER, strict: true };
const said = (content) => [{ role: "user", content }];

await runAll({
  "chat answers with usage": async () => {
    const { choices, usage } = await client.chat.completions.create({
      model: model("echo"),
      messages: said("one two"),
    });
    expect(choices[0].message.content === "Simulated answer: one two" && usage.completion_tokens > 0, {
      choices,
      usage,
    });
  },
  "chat streams": async () => {
    const stream = client.chat.completions.stream({
      model: model("echo"),
      messages: said("one two"),
      stream_options: { include_usage: true },
    });
    let text = "";
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? "";
    const usage = await stream.totalUsage();
    expect(text === "Simulated answer: one two" && usage.completion_tokens > 0, { text, usage });
  },
  "chat runs tools": async () => {
    const cities = [];
    const note = ({ city }) => {
      cities.push(city);
      return "sunny, done";
    };
    const runner = client.chat.completions.runTools({
      model: model("tools-until-done"),
      messages: said("Go"),
      tools: [
        {
          type: "function",
          function: { ...TOOL.function, parse: JSON.parse, function: note },
        },
      ],
    });
    const text = await runner.finalContent();
    expect(cities.length > 0 && text.includes("done"), { cities, text });
  },
  "chat sees an image": async () => {
    const image = { type: "image_url", image_url: { url: `data:image/png;base64,${PIXEL}` } };
    const messages = said([{ type: "text", text: "What?" }, image]);
    const { choices } = await client.chat.completions.create({ model: model("vision"), messages });
    expect(choices[0].message.content.includes("1 image: image/png"), choices);
  },
  "chat gives structured output": async () => {
    const response_format = { type: "json_schema", json_schema: { name: "city", schema: WEATHER, strict: true } };
    const answer = await client.chat.completions.parse({
      model: model("json"),
      messages: said("Where?"),
      response_format,
    });
    expect(typeof JSON.parse(answer.choices[0].message.content).city === "string", answer);
  },
  "responses stream": async () => {
    const stream = client.responses.stream({ model: model("echo"), input: "one two" });
    let text = "";
    for await (const event of stream) if (event.type === "response.output_text.delta") text += event.delta;
    const final = await stream.finalResponse();
    expect(text === final.output_text && text === "Simulated answer: one two", { text, final });
    expect(final.usage.output_tokens > 0, final);
  },
  "responses loop with reasoning given back": async () => {
    const input = said("Go");
    let response;
    for (let turn = 0; turn < 4; turn += 1) {
      response = await client.responses.create({
        model: model("reason"),
        input,
        tools: [FLAT],
        reasoning: { effort: "low", summary: "auto" },
        include: ["reasoning.encrypted_content"],
        store: false,
      });
      input.push(...response.output);
      const calls = response.output.filter(({ type }) => type === "function_call");
      if (calls.length === 0) break;
      for (const { call_id } of calls) input.push({ type: "function_call_output", call_id, output: "done" });
    }
    expect(response.output_text.includes("done"), response);
  },
  "errors have their true status": async () => {
    for (const [kind, status] of [
      ["fail-400", 400],
      ["fail-429", 429],
      ["fail-503", 502],
    ]) {
      const calls = [
        () => client.chat.completions.create({ model: model(kind), messages: said("x") }),
        () => client.chat.completions.create({ model: model(kind), messages: said("x"), stream: true }),
        () => client.responses.create({ model: model(kind), input: "x" }),
      ];
      for (const call of calls) {
        const error = await refusal(call);
        expect(error.status === status, { kind, status: error.status, message: error.message });
      }
    }
  },
  "cancelling ends the call": async () => {
    const stream = await client.chat.completions.create({
      model: model("slow"),
      messages: said("1 2 3 4"),
      stream: true,
    });
    for await (const _ of stream) break;
    const { choices } = await client.chat.completions.create({ model: model("echo"), messages: said("still here") });
    expect(choices[0].message.content.includes("still here"), choices);
  },
});

/** OpenRouter's own SDK over chat completions and responses: it reads every answer by a strict schema. */

import { OpenRouter } from "@openrouter/sdk";
import { expect, KEY, model, refusal, runAll, URL_, WEATHER } from "./checks.mjs";

const client = new OpenRouter({ apiKey: KEY, serverURL: `${URL_}/v1`, retryConfig: { strategy: "none" } });
const chat = (request) => client.chat.send({ chatRequest: request });
const respond = (request) => client.responses.send({ responsesRequest: request });
const SAID = [{ role: "user", content: "one two" }];
const ANSWER = "Simulated answer: one two";
const TOOL = { name: "weather", description: "Weather", parameters: WEATHER };

async function textOf(stream, read) {
  let text = "";
  for await (const event of stream) text += read(event) ?? "";
  return text;
}

await runAll({
  "chat: answers": async () => {
    const { choices, usage } = await chat({ model: model("echo"), messages: SAID });
    expect(choices[0].message.content === ANSWER && usage.completionTokens > 0, choices);
  },
  "chat: streams": async () => {
    const text = await textOf(
      await chat({ model: model("echo"), messages: SAID, stream: true }),
      ({ choices }) => choices[0]?.delta.content,
    );
    expect(text === ANSWER, text);
  },
  "chat: reasons as its own `reasoning` member says": async () => {
    const reasoning = { effort: "low" };
    const { choices } = await chat({ model: model("reason"), messages: SAID, reasoning });
    expect(choices[0].message.content !== "", choices);
  },
  "chat: a tool loop": async () => {
    const asked = { model: model("tools-until-done"), tools: [{ type: "function", function: TOOL }] };
    const first = (await chat({ ...asked, messages: SAID })).choices[0].message;
    const [call] = first.toolCalls;
    const result = { role: "tool", toolCallId: call.id, content: "sunny, done" };
    const { choices } = await chat({ ...asked, messages: [...SAID, first, result] });
    expect(choices[0].message.content.includes("done"), choices);
  },
  "chat: a streamed tool call": async () => {
    const tools = [{ type: "function", function: TOOL }];
    const text = await textOf(
      await chat({ model: model("tools"), messages: SAID, tools, stream: true }),
      ({ choices }) => choices[0]?.delta.toolCalls?.[0]?.function?.arguments,
    );
    expect(typeof JSON.parse(text) === "object", text);
  },
  "chat: gives structured output": async () => {
    const jsonSchema = { name: "city", schema: WEATHER, strict: true };
    const { choices } = await chat({
      model: model("json"),
      messages: SAID,
      responseFormat: { type: "json_schema", jsonSchema },
    });
    expect(typeof JSON.parse(choices[0].message.content).city === "string", choices);
  },
  "responses: answers": async () => {
    const response = await respond({ model: model("echo"), input: "one two" });
    expect(response.outputText === ANSWER || JSON.stringify(response.output).includes(ANSWER), response);
  },
  "responses: streams": async () => {
    const text = await textOf(await respond({ model: model("echo"), input: "one two", stream: true }), (event) =>
      event.type === "response.output_text.delta" ? event.delta : "",
    );
    expect(text === ANSWER, text);
  },
  "responses: a tool call": async () => {
    const { output } = await respond({
      model: model("tools"),
      input: "one two",
      tools: [{ type: "function", ...TOOL }],
    });
    expect(
      output.some(({ type, name }) => type === "function_call" && name === "weather"),
      output,
    );
  },
  "responses: a streamed answer of a model that reasons": async () => {
    const request = { model: model("reason"), input: "one two", reasoning: { effort: "low" }, stream: true };
    const types = [];
    for await (const { type } of await respond(request)) types.push(type);
    expect(types.includes("response.completed"), types);
  },
  "errors have their true status": async () => {
    const error = await refusal(() => chat({ model: model("fail-429"), messages: SAID }));
    expect(error.statusCode === 429, String(error));
  },
});

/** @google/genai: answers, streams, tools, thoughts, pictures, schemas, counts, lists and errors in Gemini's style. */

import { FunctionCallingConfigMode, GoogleGenAI } from "@google/genai";
import { expect, KEY, model, PIXEL, refusal, runAll, URL_, WEATHER } from "./checks.mjs";

const client = new GoogleGenAI({ apiKey: KEY, httpOptions: { baseUrl: URL_ } });
const tools = [{ functionDeclarations: [{ name: "weather", description: "Weather", parametersJsonSchema: WEATHER }] }];

await runAll({
  "answers with usage and its cost": async () => {
    const answer = await client.models.generateContent({ model: model("echo"), contents: "one two" });
    expect(answer.text === "Simulated answer: one two", answer);
    expect(answer.usageMetadata.candidatesTokenCount > 0 && answer.usageMetadata.cost > 0, answer.usageMetadata);
  },
  streams: async () => {
    let text = "";
    let last;
    for await (const chunk of await client.models.generateContentStream({
      model: model("echo"),
      contents: "one two",
    })) {
      text += chunk.text ?? "";
      last = chunk;
    }
    expect(text === "Simulated answer: one two" && last.candidates[0].finishReason === "STOP", { text, last });
  },
  "a chat keeps what was said": async () => {
    const chat = client.chats.create({ model: model("echo") });
    await chat.sendMessage({ message: "one" });
    const answer = await chat.sendMessage({ message: "two" });
    expect(answer.text === "Simulated answer: two" && chat.getHistory().length === 4, answer);
  },
  "loops with tools, thoughts given back": async () => {
    for (const kind of ["tools-until-done", "reason"]) {
      const contents = [{ role: "user", parts: [{ text: "Go" }] }];
      const config = {
        tools,
        ...(kind === "reason" && { thinkingConfig: { thinkingBudget: 1024, includeThoughts: true } }),
      };
      let answer;
      for (let turn = 0; turn < 4; turn += 1) {
        answer = await client.models.generateContent({ model: model(kind), contents, config });
        contents.push(answer.candidates[0].content);
        const calls = answer.functionCalls ?? [];
        if (calls.length === 0) break;
        const parts = calls.map(({ id, name }) => ({ functionResponse: { id, name, response: { output: "done" } } }));
        contents.push({ role: "user", parts });
      }
      expect(answer.text.includes("done"), { kind, answer });
    }
  },
  "calls a tool where it must": async () => {
    const config = { tools, toolConfig: { functionCallingConfig: { mode: FunctionCallingConfigMode.ANY } } };
    const answer = await client.models.generateContent({ model: model("tools"), contents: "Go", config });
    expect(answer.functionCalls?.[0]?.name === "weather", answer);
  },
  "sees an image": async () => {
    const contents = [{ text: "What?" }, { inlineData: { mimeType: "image/png", data: PIXEL } }];
    const answer = await client.models.generateContent({ model: model("vision"), contents });
    expect(answer.text.includes("1 image: image/png"), answer);
  },
  "gives structured output": async () => {
    const config = { responseMimeType: "application/json", responseJsonSchema: WEATHER };
    const answer = await client.models.generateContent({ model: model("json"), contents: "Where?", config });
    expect(typeof JSON.parse(answer.text).city === "string", answer);
  },
  "counts tokens": async () => {
    const { totalTokens } = await client.models.countTokens({ model: model("echo"), contents: "one two three" });
    expect(totalTokens > 0, totalTokens);
  },
  "lists models, and finds one": async () => {
    const names = [];
    for await (const { name } of await client.models.list()) names.push(name);
    expect(names.includes(`models/${model("echo")}`), names);
    const found = await client.models.get({ model: model("echo") });
    expect(found.name === `models/${model("echo")}`, found);
  },
  "errors have their true status": async () => {
    for (const [kind, status] of [
      ["fail-400", 400],
      ["fail-429", 429],
      ["fail-503", 502],
    ]) {
      const error = await refusal(() => client.models.generateContent({ model: model(kind), contents: "x" }));
      expect(error.status === status, { kind, status: error.status, message: error.message });
    }
  },
  "cancelling ends the call": async () => {
    const stream = await client.models.generateContentStream({ model: model("slow"), contents: "1 2 3 4" });
    for await (const _ of stream) break;
    const answer = await client.models.generateContent({ model: model("echo"), contents: "still here" });
    expect(answer.text.includes("still here"), answer);
  },
});

import { expect, test } from "bun:test";
import OpenAI from "openai";
import { scriptText } from "../../../simulator/agent/script.ts";
import { startSimulator } from "../../../simulator/server.ts";

test("an agent's loop runs through its script to the end, and then reports the results", async () => {
  const simulator = await startSimulator();
  try {
    const openai = new OpenAI({ baseURL: simulator.base_url, apiKey: "none", maxRetries: 0 });
    const runner = openai.chat.completions.runTools({
      model: "agent",
      messages: [
        {
          role: "user",
          content: scriptText([
            ["run", "first"],
            ["run", "second"],
          ]),
        },
      ],
      tools: [
        {
          type: "function",
          function: {
            name: "bash",
            description: "Runs a command.",
            parameters: { type: "object", properties: { command: { type: "string" } } },
            parse: JSON.parse,
            function: ({ command }: { command: string }) => `ran ${command}`,
          },
        },
      ],
    });
    expect(await runner.finalContent()).toBe("Simulated: done. ran second");
    expect(simulator.log.total).toBe(3);
  } finally {
    await simulator.stop();
  }
});

test("an agent ends by the tool for the final answer, where the client offers one", async () => {
  const simulator = await startSimulator();
  try {
    const openai = new OpenAI({ baseURL: simulator.base_url, apiKey: "none", maxRetries: 0 });
    const parameters = { type: "object", properties: { city: { enum: ["Lisbon"] } }, required: ["city"] };
    const description = "Gives the final answer; its arguments are the answer.";
    const answer = await openai.chat.completions.create({
      model: "agent",
      messages: [{ role: "user", content: scriptText([["say", "bye"]]) }],
      tools: [{ type: "function", function: { name: "final_answer", description, parameters } }],
    });
    expect(answer.choices[0]?.message.tool_calls).toMatchObject([
      { function: { name: "final_answer", arguments: '{"city":"Lisbon"}' } },
    ]);
  } finally {
    await simulator.stop();
  }
});

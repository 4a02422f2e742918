import { type Section, skipClients } from "../feature.ts";
import { says } from "../question.ts";
import { WEATHER } from "./tools.ts";

const CITY = {
  type: "object",
  properties: { name: { type: "string" }, country: { type: "string" } },
  required: ["name", "country"],
  additionalProperties: false,
};
const turns = [says("Which city is it? Answer in JSON.")];

export const formats: Section = {
  title: "Structured output",
  features: [
    {
      name: "JSON schema",
      model: "json-schema",
      steps: [
        () => ({
          question: { turns, format: { kind: "schema", schema: CITY } },
          answer: { json: ["name", "country"], end: "stop", calls: [] },
        }),
      ],
    },
    {
      name: "JSON schema beside tools that are not called",
      model: "json-beside-tools",
      steps: [
        () => ({
          question: {
            turns: [says("Do not call a tool. Which city is it? The final_answer in JSON.")],
            format: { kind: "schema", schema: CITY },
            tools: [WEATHER],
          },
          answer: { json: ["name", "country"], end: "stop", calls: [] },
        }),
      ],
    },
    {
      name: "JSON mode",
      model: "json-object",
      steps: [
        () => ({ question: { turns, format: { kind: "object" } }, answer: { json: [], end: "stop", calls: [] } }),
      ],
      skip: skipClients({ messages: "messages has JSON by a schema only" }),
    },
  ],
};

import { type Section, skipClients } from "../feature.ts";
import { says } from "../question.ts";

const NO_STOP = skipClients({ responses: "responses has no stop sequences" });
const CAP = 20;

export const endings: Section = {
  title: "Endings",
  features: [
    {
      name: "a stop sequence",
      model: "echo",
      steps: [
        ({ client, vendor }) => ({
          question: { turns: [says("Repeat: one two END three")], stop: ["NEVER", "END"] },
          answer: {
            text: "one two",
            without: "END",
            end: "stop",
            // The stop sequence is named when the vendor names it or the gateway itself has cut there (docs/rulings.md
            // 14c).
            ...(client === "messages" &&
              ["messages", "bedrock", "responses"].includes(vendor) && { stop_sequence: "END" }),
          },
          ...(vendor === "responses" && { receipt: { estimated: null } }),
        }),
      ],
      skip: NO_STOP,
    },
    {
      name: "a stop sequence that does not come",
      model: "echo",
      steps: [
        () => ({
          question: { turns: [says("Repeat: one two three")], stop: ["NEVER"] },
          answer: { text: "one two three", end: "stop" },
        }),
      ],
      skip: NO_STOP,
    },
    {
      name: "length",
      model: "echo",
      steps: [
        () => ({
          question: { turns: [says(`Repeat: ${"word ".repeat(60)}`)], cap: CAP },
          answer: { text: "word", end: "length", output_at_most: CAP },
        }),
      ],
    },
    {
      name: "content filter",
      model: "filter",
      steps: [
        ({ client }) => ({
          question: { turns: [says("Say something bad.")] },
          // Messages has no word for a filter (docs/rulings.md 14c).
          answer: { end: client === "messages" ? "refusal" : "filter" },
        }),
      ],
    },
    {
      name: "refusal",
      model: "refuse",
      steps: [
        ({ vendor }) => ({
          question: { turns: [says("Help me with something bad.")] },
          // Gemini and Converse have no refusal field: the model declines in its text.
          answer:
            vendor === "gemini" || vendor === "bedrock"
              ? { text: "I cannot help", end: "stop" }
              : { end: ["refusal", "filter"] },
        }),
      ],
    },
  ],
};

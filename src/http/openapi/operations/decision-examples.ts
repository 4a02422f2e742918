import type { JsonValue } from "../../../core/json.ts";
import type { Example, SampleSettings } from "./operation.ts";

/** The requests and answers in the document; a test checks each against its schema. */

type Examples = Readonly<Record<string, Example>>;

const TICKET = "My invoice of March was charged twice, and nobody answers the phone.";
const URGENCY = ["Can wait for weeks.", "Should be seen today.", "Costs the customer money now."];

export function decisionExamples({ model_d }: SampleSettings): Examples {
  return {
    plain: {
      summary: "Three questions about a text",
      value: {
        model: model_d,
        input: TICKET,
        questions: [
          { type: "predicate", name: "refund", instructions: "Does the customer ask for money back?" },
          {
            type: "choice",
            name: "team",
            instructions: "Which team should answer?",
            choices: [
              { value: "billing", description: "Invoices and payments." },
              { value: "technical", description: "Something does not work." },
              { value: "other" },
            ],
          },
          {
            type: "score",
            name: "urgency",
            instructions: "How urgent is it?",
            levels: URGENCY.map((description) => ({ description })),
          },
        ],
      },
    },
    messages: {
      summary: "Messages, and an unnamed question",
      value: {
        model: model_d,
        input: [{ role: "user", content: [{ type: "input_text", text: TICKET }] }],
        questions: [{ type: "predicate", instructions: "Is the customer angry?" }],
      },
    },
  };
}

export function decisionAnswer({ model_d }: SampleSettings): JsonValue {
  return {
    model: model_d,
    answers: [
      { type: "predicate", name: "refund", probability: 0.71 },
      {
        type: "choice",
        name: "team",
        choice: "billing",
        confidence: 0.94,
        probabilities: [
          { value: "billing", probability: 0.96 },
          { value: "technical", probability: 0.03 },
          { value: "other", probability: 0.01 },
        ],
      },
      {
        type: "score",
        name: "urgency",
        score: 1.7,
        confidence: 0.55,
        probabilities: URGENCY.map((label, value) => ({ value, label, probability: [0.05, 0.2, 0.75][value] ?? 0 })),
      },
    ],
    usage: {
      input_tokens: 74,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens: 0,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 74,
      cost: 0.000074,
    },
  };
}

export function systemoneExamples({ model_d }: SampleSettings): Examples {
  return {
    plain: {
      summary: "Three questions about a record",
      value: {
        model: model_d,
        state: { from: "ann@example.com", text: TICKET },
        questions: {
          refund: {
            type: "noul",
            instructions: "Does the customer ask for money back?",
            criteria: { true: "Asks for it, in whatever words." },
          },
          team: {
            type: "choice",
            instructions: "Which team should answer?",
            criteria: { billing: "Invoices and payments.", technical: "Something does not work.", other: null },
          },
          urgency: { type: "score", instructions: "How urgent is it?", criteria: URGENCY },
        },
      },
    },
  };
}

export function systemoneAnswer({ model_d }: SampleSettings): JsonValue {
  return {
    model: model_d,
    answers: {
      refund: { type: "noul", noul: 0.71 },
      team: {
        type: "choice",
        choice: "billing",
        confidence: 0.94,
        probabilities: { billing: 0.96, technical: 0.03, other: 0.01 },
      },
      urgency: {
        type: "score",
        score: 1.7,
        confidence: 0.55,
        legend: Object.fromEntries(URGENCY.map((text, index) => [String(index), text])),
        probabilities: { "0": 0.05, "1": 0.2, "2": 0.75 },
      },
    },
    usage: { input_tokens: 83, output_tokens: 0, cost: 0.000083 },
  };
}

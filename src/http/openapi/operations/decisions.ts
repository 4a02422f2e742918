import { Decision, DecisionsRequest, SystemOneDecision, SystemOneRequest } from "../schemas/decisions.ts";
import { DECISION_CODES } from "./codes.ts";
import * as examples from "./decision-examples.ts";
import type { OperationRow, SampleSettings } from "./operation.ts";
import { parameter } from "./parameters.ts";
import { decisionsSnippets, systemoneSnippets } from "./snippets.ts";

const HEADERS = ["CaminoRequestId", "CaminoIgnored", "LabelMass", "IdempotentReplayed", "RateLimit"] as const;
const BILLED = [parameter("IdempotencyKey"), parameter("ClientRequestId"), parameter("RequestTags")];
const BILLING =
  "Billed by input tokens alone: the input once, every question's instructions, every description of an option or " +
  "level. Answered whole or not at all; a 502 is not charged.";

function decisions(settings: SampleSettings): OperationRow {
  return {
    route: "decisions",
    operation_id: "createDecision",
    tag: "Decisions",
    summary: "Decisions",
    description: `Answers typed questions about one input with probabilities, in the shape of OpenAI's decisions. ${BILLING}`,
    credential: "bearer",
    parameters: BILLED,
    request: { schema: DecisionsRequest, examples: examples.decisionExamples(settings) },
    answer: {
      description: "An answer to every question, in their order.",
      headers: HEADERS,
      contents: [{ type: "application/json", schema: Decision, example: examples.decisionAnswer(settings) }],
    },
    errors: DECISION_CODES,
    samples: decisionsSnippets(settings),
  };
}

function systemone(settings: SampleSettings): OperationRow {
  return {
    route: "systemone",
    operation_id: "createSystemOneDecision",
    tag: "Decisions",
    summary: "System One",
    description: `The same decisions in the keyed shape of the System One API. Takes multipart/form-data too: a part \`request\` with this JSON, and a part with the bytes of each asset that names one. ${BILLING}`,
    credential: "bearer",
    parameters: BILLED,
    request: { schema: SystemOneRequest, examples: examples.systemoneExamples(settings) },
    answer: {
      description: "An answer to every question, by its name.",
      headers: HEADERS,
      contents: [{ type: "application/json", schema: SystemOneDecision, example: examples.systemoneAnswer(settings) }],
    },
    errors: DECISION_CODES,
    samples: systemoneSnippets(settings),
  };
}

/** The operations of the decision endpoints (docs/api.md 4.6, 4.7). */
export function decisionOperations(settings: SampleSettings): OperationRow[] {
  return [decisions(settings), systemone(settings)];
}

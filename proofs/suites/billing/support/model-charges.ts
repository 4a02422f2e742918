import { type ChargeRow, json, TEXT } from "./charge-rows.ts";

/** The rows of embeddings, rankings, moderations and decisions, which are never streamed. */

/** A million tokens for 2: so each of 400 costs 2 micro units. */
const embedded = {
  endpoint: "embeddings",
  form: "whole",
  body: { input: TEXT },
  model: { kind: "embedding", price: { input: 2 } },
  charge_micro: 400 * 2,
} as const;
const bedrock = (upstream_model: string) => ({ ...embedded.model, upstream_model });

const RESULTS = [
  { index: 0, relevance_score: 0.9 },
  { index: 1, relevance_score: 0.1 },
];
const ranked = {
  endpoint: "rerank",
  protocol: "rerank",
  form: "whole",
  body: { query: "two", documents: [TEXT, "three"] },
} as const;
/** A thousand searches for 2. */
const bySearch = { ...ranked, model: { kind: "rerank", price: { searches: 2 } }, charge_micro: 2000 } as const;
const byInput = { ...ranked, model: { kind: "rerank", price: { input: 3 } }, charge_micro: 400 * 3 } as const;

const decided = {
  form: "whole",
  unit: "input",
  model: { kind: "decision", price: { input: 5 } },
  charge_micro: 400 * 5,
} as const;
const COUNTED = { usage: { input_tokens: 400, output_tokens: 0, total_tokens: 400 } };
const DECISIONS = {
  decisions: {
    body: { input: TEXT, questions: [{ type: "predicate", name: "two", instructions: "Is there a two?" }] },
    stage: json({ answers: [{ type: "predicate", name: "two", probability: 0.9 }], ...COUNTED }),
  },
  systemone: {
    body: { state: TEXT, questions: { two: { type: "noul", instructions: "Is there a two?" } } },
    stage: json({ answers: { two: { type: "noul", noul: 0.9 } }, ...COUNTED }),
  },
} as const;
const SHAPES = ["decisions", "systemone"] as const;

export const MODELS: readonly ChargeRow[] = [
  {
    ...{ ...embedded, protocol: "chat-completions", unit: "input" },
    stage: json({
      ...{ object: "list", model: "m", data: [{ object: "embedding", index: 0, embedding: [0.5, 0.5] }] },
      usage: { prompt_tokens: 400, total_tokens: 400 },
    }),
  },
  {
    ...{ ...embedded, protocol: "gemini", unit: "input" },
    stage: json({ embeddings: [{ values: [0.5, 0.5] }], usageMetadata: { promptTokenCount: 400 } }),
  },
  {
    ...{ ...embedded, protocol: "bedrock-converse", unit: "input by Titan" },
    model: bedrock("amazon.titan-embed-text-v2:0"),
    stage: json({ embedding: [0.5, 0.5], inputTextTokenCount: 400 }),
  },
  {
    ...{ ...embedded, protocol: "bedrock-converse", unit: "input by Cohere, counted in a header" },
    model: bedrock("cohere.embed-v4:0"),
    stage: json({ embeddings: { float: [[0.5, 0.5]] } }, { "x-amzn-bedrock-input-token-count": "400" }),
  },
  {
    ...{ ...bySearch, vendor: { dialect: "cohere" }, unit: "searches by Cohere" },
    stage: json({ id: "r", results: RESULTS, meta: { billed_units: { search_units: 1 } } }),
  },
  {
    ...{ ...bySearch, vendor: { dialect: "tei" }, unit: "searches by TEI, counted here" },
    stage: json(RESULTS.map(({ index, relevance_score }) => ({ index, score: relevance_score }))),
  },
  {
    ...{ ...byInput, vendor: { dialect: "tei" }, unit: "nothing, by a free TEI" },
    model: { kind: "rerank", price: { input: 0 } },
    stage: json(RESULTS.map(({ index, relevance_score }) => ({ index, score: relevance_score }))),
    charge_micro: 0,
  },
  {
    ...{ ...byInput, vendor: { dialect: "jina" }, unit: "input by Jina" },
    stage: json({ model: "m", results: RESULTS, usage: { total_tokens: 400, prompt_tokens: 400 } }),
  },
  {
    ...{ ...byInput, vendor: { dialect: "voyage" }, unit: "input by Voyage" },
    stage: json({ object: "list", data: RESULTS, model: "m", usage: { total_tokens: 400 } }),
  },
  {
    ...{ endpoint: "moderations", protocol: "chat-completions", form: "whole", unit: "nothing" },
    ...{ body: { input: TEXT }, model: { kind: "moderation", price: { input: 0 } }, charge_micro: 0 },
    stage: json({
      ...{ id: "modr-1", model: "m" },
      results: [{ flagged: false, categories: {}, category_scores: {}, category_applied_input_types: {} }],
    }),
  },
  ...SHAPES.flatMap((endpoint) =>
    SHAPES.map(
      (protocol): ChargeRow => ({
        ...{ ...decided, endpoint, protocol },
        ...{ body: DECISIONS[endpoint].body, stage: DECISIONS[protocol].stage },
      }),
    ),
  ),
];

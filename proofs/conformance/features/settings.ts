import type { Cell, Client, Vendor } from "../cell.ts";
import type { Expectation } from "../expectation.ts";
import type { Feature, Section } from "../feature.ts";
import { says } from "../question.ts";
import type { Fields } from "../read-fields.ts";

/** A parameter in each client's format, and the vendors that honour it; a relay passes every parameter on. */
interface Setting {
  readonly name: string;
  readonly body: Readonly<Partial<Record<Client, Fields>>>;
  readonly honoured_by: readonly Vendor[];
  /** The kind of model that answers. Default `echo`. */
  readonly model?: string;
  /** The name in `x-camino-ignored`, when that is not the member's name. */
  readonly called?: Readonly<Partial<Record<Client, string>>>;
  /** The expected answer when the parameter is honoured, and when it is ignored. */
  readonly shows?: { readonly honoured: Expectation; readonly ignored: Expectation };
}

const ALL: readonly Vendor[] = ["chat", "responses", "messages", "gemini", "bedrock"];
const everywhere = (member: Fields) => ({ chat: member, responses: member, messages: member });
const config = (member: Fields) => ({ gemini: { generationConfig: member } });
const called = (name: string) => ({ gemini: `generationConfig.${name}` });

const SETTINGS: readonly Setting[] = [
  {
    name: "temperature",
    body: { ...everywhere({ temperature: 0.5 }), ...config({ temperature: 0.5 }) },
    honoured_by: ALL,
  },
  { name: "top_p", body: { ...everywhere({ top_p: 0.5 }), ...config({ topP: 0.5 }) }, honoured_by: ALL },
  {
    name: "top_k",
    body: { messages: { top_k: 40 }, ...config({ topK: 40 }) },
    honoured_by: ["messages", "gemini", "bedrock"],
    called: called("topK"),
  },
  {
    name: "a seed",
    body: { chat: { seed: 7 }, ...config({ seed: 7 }) },
    honoured_by: ["chat", "gemini"],
    called: called("seed"),
  },
  { name: "presence penalty", body: { chat: { presence_penalty: 0.5 } }, honoured_by: ["chat"] },
  { name: "frequency penalty", body: { chat: { frequency_penalty: 0.5 } }, honoured_by: ["chat"] },
  { name: "logit bias", body: { chat: { logit_bias: { "50256": -100 } } }, honoured_by: ["chat"] },
  {
    name: "log-probabilities",
    body: {
      chat: { logprobs: true, top_logprobs: 2 },
      responses: { top_logprobs: 2, include: ["message.output_text.logprobs"] },
      ...config({ responseLogprobs: true, logprobs: 2 }),
    },
    honoured_by: ["chat", "responses", "gemini"],
    called: { chat: "logprobs", responses: "top_logprobs", ...called("responseLogprobs") },
    shows: { honoured: { logprobs: "some" }, ignored: { logprobs: "none" } },
  },
  {
    name: "verbosity",
    body: { chat: { verbosity: "low" }, responses: { text: { verbosity: "low" } } },
    honoured_by: ["chat", "responses"],
    called: { responses: "text.verbosity" },
  },
  {
    name: "the end user",
    body: {
      chat: { safety_identifier: "u-1" },
      responses: { safety_identifier: "u-1" },
      messages: { metadata: { user_id: "u-1" } },
    },
    honoured_by: ["chat", "responses", "messages"],
    called: { messages: "metadata.user_id" },
  },
  {
    name: "metadata",
    body: { chat: { metadata: { team: "a" } }, responses: { metadata: { team: "a" } } },
    honoured_by: ["responses"],
    // OpenAI's chat requires `store` together with this parameter.
    model: "lenient",
  },
  { name: "service tier, as it is anyway", body: everywhere({ service_tier: "auto" }), honoured_by: ALL },
];

function featureOf({ name, body, honoured_by, model = "echo", called = {}, shows }: Setting): Feature {
  return {
    name,
    model,
    skip: ({ client }) => (body[client] === undefined ? `${client} has no such parameter` : null),
    steps: [
      ({ client, vendor }) => {
        const members = body[client] ?? {};
        const is_honoured = client === vendor || honoured_by.includes(vendor);
        const ignored = is_honoured ? [] : [called[client] ?? Object.keys(members)[0] ?? ""];
        const shown = is_honoured ? shows?.honoured : shows?.ignored;
        const question = { turns: [says("Hello there")], body: members };
        return { question, answer: { text: "Hello there", end: "stop", ...shown }, ignored };
      },
    ],
  };
}

const CHOICES: Feature = {
  name: "two choices",
  model: "echo",
  skip: ({ client }: Cell) => (client === "chat" || client === "gemini" ? null : `${client} has no such parameter`),
  steps: [
    ({ client, vendor }) => {
      const question = { turns: [says("Hello there")], choices: 2 };
      const name = client === "chat" ? "'n'" : "candidatecount";
      return vendor === client
        ? { question, answer: { choices: 2, text: "Hello there" } }
        : { question, error: { statuses: [400], says: name } };
    },
  ],
};

export const settings: Section = { title: "Settings", features: [...SETTINGS.map(featureOf), CHOICES] };

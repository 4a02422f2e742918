import type { Model } from "../../../../../contract/models.ts";
import type { Json } from "../code/literals.ts";
import type { ChatStyle } from "../endpoints.ts";
import { asObject, parse } from "../wire/failure.ts";

/** The settings beside the conversation, as texts of the form. An empty text stands for the model's default. */
export interface Settings {
  readonly system: string;
  readonly temperature: string;
  readonly top_p: string;
  readonly top_k: string;
  readonly frequency_penalty: string;
  readonly presence_penalty: string;
  readonly seed: string;
  /** Texts that end the answer, one in each line. */
  readonly stop: string;
  readonly max_tokens: string;
  /** "", "off", or an effort level of the model. */
  readonly effort: string;
  readonly budget: string;
  /** A JSON array of `{name, description, parameters}`. */
  readonly tools: string;
  /** A JSON schema of the answer. */
  readonly schema: string;
}

export const NO_SETTINGS: Settings = {
  ...{ system: "", temperature: "", top_p: "", top_k: "", frequency_penalty: "", presence_penalty: "", seed: "" },
  ...{ stop: "", max_tokens: "", effort: "", budget: "", tools: "", schema: "" },
};

/** A number that steers sampling: the styles that have it, and its range. */
interface SamplingField {
  readonly name: "temperature" | "top_p" | "top_k" | "frequency_penalty" | "presence_penalty" | "seed";
  readonly label: string;
  readonly styles: readonly ChatStyle[];
  readonly min: number;
  readonly max: number | null;
  readonly whole?: true;
  /** Whether even a model that takes no sampling settings takes this setting. */
  readonly always?: true;
}

const EVERYWHERE: readonly ChatStyle[] = ["chat", "responses", "messages"];

const SAMPLING: readonly SamplingField[] = [
  { name: "temperature", label: "Temperature", styles: EVERYWHERE, min: 0, max: 2 },
  { name: "top_p", label: "Top p", styles: EVERYWHERE, min: 0, max: 1 },
  { name: "top_k", label: "Top k", styles: ["messages"], min: 1, max: null, whole: true },
  { name: "frequency_penalty", label: "Frequency penalty", styles: ["chat"], min: -2, max: 2 },
  { name: "presence_penalty", label: "Presence penalty", styles: ["chat"], min: -2, max: 2 },
  { name: "seed", label: "Seed", styles: ["chat"], min: 0, max: null, whole: true, always: true },
];

/** The most texts that end an answer. */
const MOST_STOPS = 4;

/** The sampling settings that a model takes in a style, with these other settings (docs/rulings.md 166). */
export function samplingOf(model: Pick<Model, "sampling">, style: ChatStyle, effort: string): SamplingField[] {
  const takes = model.sampling === undefined || (model.sampling === "without_reasoning" && effort === "off");
  return SAMPLING.filter(({ styles, always }) => styles.includes(style) && (takes || always === true)).map((field) =>
    field.name === "temperature" && style === "messages" ? { ...field, max: 1 } : field,
  );
}

/** The settings that the model takes in a style. Other settings stay in the form, for a model that takes them. */
export function fitSettings(settings: Settings, model: Model, style: ChatStyle): Settings {
  const { capabilities } = model;
  const { toggle, effort: efforts = [], budget_tokens } = capabilities.reasoning ?? {};
  const known = settings.effort === "off" ? toggle === true : efforts.includes(settings.effort);
  const effort = known ? settings.effort : "";
  const taken = new Set(samplingOf(model, style, effort).map(({ name }) => name));
  const dropped = Object.fromEntries(SAMPLING.flatMap(({ name }) => (taken.has(name) ? [] : [[name, ""]])));
  return {
    ...settings,
    ...dropped,
    effort,
    stop: style === "responses" ? "" : settings.stop,
    budget: budget_tokens === undefined || settings.effort === "off" ? "" : settings.budget,
    tools: capabilities.tools ? settings.tools : "",
    schema: capabilities.json ? settings.schema : "",
  };
}

interface NeutralTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: Json;
}

/** A number in a field; undefined for an empty or a wrong field (which `settingsProblem` reports). */
export function numberIn(text: string): number | undefined {
  const number = Number(text);
  return text.trim() === "" || !Number.isFinite(number) ? undefined : number;
}

/** The texts that end the answer; undefined where there are none. */
export function stopsIn(text: string): string[] | undefined {
  const stops = text.split("\n").filter((line) => line.trim() !== "");
  return stops.length === 0 ? undefined : stops;
}

/** The schema of the answer; undefined where the field is empty or wrong. */
export function schemaIn(text: string): Json | undefined {
  const value = parse(text);
  return isRecord(value) ? (value as Json) : undefined;
}

function isRecord(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The tools that are declared; null where the text is not a valid declaration. */
export function readTools(text: string): NeutralTool[] | null {
  if (text.trim() === "") return [];
  const value = parse(text);
  if (!Array.isArray(value)) return null;
  const tools: NeutralTool[] = [];
  for (const item of value) {
    const { name, description, parameters } = asObject(item);
    if (typeof name !== "string" || name === "") return null;
    tools.push({
      name,
      description: typeof description === "string" ? description : "",
      parameters: (parameters ?? { type: "object", properties: {} }) as Json,
    });
  }
  return tools;
}

export const EXAMPLE_TOOLS = `[
  {
    "name": "get_weather",
    "description": "The weather of a city.",
    "parameters": {
      "type": "object",
      "properties": { "city": { "type": "string" } },
      "required": ["city"]
    }
  }
]`;

export const EXAMPLE_SCHEMA = `{
  "type": "object",
  "properties": {
    "city": { "type": "string" },
    "days": { "type": "integer" }
  },
  "required": ["city", "days"],
  "additionalProperties": false
}`;

type CheckedField = SamplingField["name"] | "max_tokens" | "budget" | "tools" | "schema" | "stop";

/** The error of a field as a sentence; null when the field is valid. */
export function settingsProblem(settings: Settings, field: CheckedField, style: ChatStyle = "chat"): string | null {
  switch (field) {
    case "tools":
      return readTools(settings.tools) === null ? "Write a JSON array of tools, each with a name." : null;
    case "schema":
      return settings.schema.trim() === "" || schemaIn(settings.schema) !== undefined
        ? null
        : 'Write a JSON schema: an object such as {"type": "object", …}.';
    case "stop":
      return (stopsIn(settings.stop)?.length ?? 0) > MOST_STOPS ? `Write at most ${MOST_STOPS} lines.` : null;
    case "max_tokens":
    case "budget":
      return numberProblem(settings[field], { min: 1, max: null, whole: true });
    default:
      return numberProblem(settings[field], boundsOf(field, style));
  }
}

function boundsOf(name: SamplingField["name"], style: ChatStyle): Pick<SamplingField, "min" | "max" | "whole"> {
  const found = samplingOf({}, style, "").find((field) => field.name === name);
  return found ?? { min: Number.NEGATIVE_INFINITY, max: null };
}

function numberProblem(
  text: string,
  { min, max, whole }: { readonly min: number; readonly max: number | null; readonly whole?: true },
): string | null {
  if (text.trim() === "") return null;
  const number = numberIn(text);
  if (number === undefined) return "Write a number.";
  if (whole && !Number.isInteger(number)) return `Write a whole number from ${min} on.`;
  if (number >= min && (max === null || number <= max)) return null;
  return max === null ? `Write a whole number from ${min} on.` : `Write a number from ${min} to ${max}.`;
}

const FIELDS: readonly CheckedField[] = [
  ...SAMPLING.map(({ name }) => name),
  "max_tokens",
  "budget",
  "tools",
  "schema",
  "stop",
];

export function settingsAreSound(settings: Settings, style: ChatStyle): boolean {
  return FIELDS.every((field) => settingsProblem(settings, field, style) === null);
}

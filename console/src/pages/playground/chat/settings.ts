import type { Json } from "../code/literals.ts";
import { asObject, parse } from "../wire/failure.ts";

/** The settings beside the conversation, as texts of the form. An empty text stands for the model's default. */
export interface Settings {
  readonly system: string;
  readonly temperature: string;
  readonly max_tokens: string;
  /** "", "off", or an effort level of the model. */
  readonly effort: string;
  readonly budget: string;
  /** A JSON array of `{name, description, parameters}`. */
  readonly tools: string;
}

export const NO_SETTINGS: Settings = { system: "", temperature: "", max_tokens: "", effort: "", budget: "", tools: "" };

export interface NeutralTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: Json;
}

/** A number in a field; undefined for an empty or a wrong field (which `settingsProblem` reports). */
export function numberIn(text: string): number | undefined {
  const number = Number(text);
  return text.trim() === "" || !Number.isFinite(number) ? undefined : number;
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

type Field = "temperature" | "max_tokens" | "budget" | "tools";

/** The error of a field as a sentence; null when the field is valid. */
export function settingsProblem(settings: Settings, field: Field): string | null {
  if (field === "tools") {
    return readTools(settings.tools) === null ? "Write a JSON array of tools, each with a name." : null;
  }
  const text = settings[field];
  if (text.trim() === "") return null;
  const number = numberIn(text);
  if (number === undefined || number < 0) return "Write a number.";
  if (field !== "temperature" && (!Number.isInteger(number) || number === 0)) return "Write a whole number from 1 on.";
  return null;
}

export function settingsAreSound(settings: Settings): boolean {
  return (["temperature", "max_tokens", "budget", "tools"] as const).every(
    (field) => settingsProblem(settings, field) === null,
  );
}

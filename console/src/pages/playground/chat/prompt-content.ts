import type { PromptContent } from "../../../../../contract/prompts.ts";
import type { ChatStyle } from "../endpoints.ts";
import { NO_SETTINGS, type Settings } from "./settings.ts";

const NAMES = Object.keys(NO_SETTINGS) as (keyof Settings)[];

/** The fields of the form that a prompt keeps. Empty fields are left out. */
export function contentOf(
  settings: Settings,
  { model, style, message }: { readonly model: string; readonly style: ChatStyle; readonly message: string },
): PromptContent {
  const filled = NAMES.filter((name) => settings[name] !== "").map((name) => [name, settings[name]]);
  return { model, style, ...(message === "" ? {} : { message }), ...(Object.fromEntries(filled) as Partial<Settings>) };
}

/** The settings of a prompt: fields that it leaves out are empty. */
export function settingsIn(content: PromptContent): Settings {
  return Object.fromEntries(NAMES.map((name) => [name, content[name] ?? ""])) as Record<keyof Settings, string>;
}

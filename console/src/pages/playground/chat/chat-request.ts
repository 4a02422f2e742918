import type { Settings } from "./settings.ts";
import type { Turn } from "./turns.ts";

/** A request in a neutral form, before it is written in a style. */
export interface ChatRequest {
  readonly model: string;
  readonly turns: readonly Turn[];
  readonly settings: Settings;
  /** The model's limit of output tokens; null where it is unknown. */
  readonly most_tokens: number | null;
}

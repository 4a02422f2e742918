import type { Settings } from "./settings.ts";
import type { Turn } from "./turns.ts";

/** What is asked, in no style's words. */
export interface Asked {
  readonly model: string;
  readonly turns: readonly Turn[];
  readonly settings: Settings;
  /** The longest answer that the model gives, in tokens; null where it is not known. */
  readonly most_tokens: number | null;
}

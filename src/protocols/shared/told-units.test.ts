import { expect, test } from "bun:test";
import type { Usage } from "../../core/money/usage.ts";
import { readUsage as chat } from "../chat-completions/usage.ts";
import { readUsage as messages } from "../messages/read-usage.ts";
import { readUsage as responses } from "../responses/read-usage.ts";

/** What a vendor counts and no price class covers is named on the receipt, in every protocol (docs/rulings.md 144). */

type Fields = Readonly<Record<string, unknown>>;

const READERS: Readonly<Record<string, (more: Fields) => Usage | null>> = {
  chat: (more) => chat({ prompt_tokens: 10, completion_tokens: 5, ...more }).usage,
  responses: (more) => responses({ input_tokens: 10, output_tokens: 5, ...more }, []),
  messages: (more) => messages({ input_tokens: 10, output_tokens: 5, ...more }),
};

const COUNTED: readonly (readonly [told: Fields, named: readonly string[]])[] = [
  [{ compute_units: 12 }, ["compute_units"]],
  [{ compute_units: 0.5 }, ["compute_units"]],
  [{ compute_units: { input: 3, output: 9 } }, ["compute_units"]],
  [{ compute_units: { total_units: 3 } }, ["total_units"]],
  [{ hologram_tokens: 3, tea_breaks_used: 1 }, ["hologram_tokens", "tea_breaks_used"]],
  [{ compute_units: 0 }, []],
  [{ compute_units: null }, []],
  [{ compute_units: { input: 0 } }, []],
  [{ cost: 0.5, service_tier: "default", total_time: 0.3 }, []],
];

for (const [protocol, read] of Object.entries(READERS))
  test.each([...COUNTED])(`the usage of ${protocol} with %j names what has no price`, (told, named) => {
    const usage = read(told);
    expect(usage).toMatchObject({ input_tokens: 10, output_tokens: 5 });
    expect(usage?.extra?.unpriced ?? []).toEqual([...named]);
  });

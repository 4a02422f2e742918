/** What `include` asks for beside the answer (docs/api.md 4.2). */

/** The entries that translation itself honours. */
const HONOURED: ReadonlySet<unknown> = new Set(["reasoning.encrypted_content", "message.output_text.logprobs"]);

/** The entries that only items of the vendor's own tools give, by the beginning of their names, with their tools. */
const OF_TOOLS: readonly (readonly [string, RegExp])[] = [
  ["web_search_call.", /^web_search/],
  ["file_search_call.", /^file_search$/],
  ["code_interpreter_call.", /^code_interpreter$/],
  ["computer_call_output.", /^computer/],
];

/** Whether an entry asks for what only calls of these types of tools give. */
export function isOfTool(entry: unknown, types: readonly string[]): boolean {
  if (typeof entry !== "string") return false;
  return OF_TOOLS.some(([beginning, tool]) => entry.startsWith(beginning) && types.some((type) => tool.test(type)));
}

/** The entries that a vendor of another protocol cannot honour: each is left out and named (docs/rulings.md 190). */
export function unhonouredEntries(include: unknown): string[] {
  if (!Array.isArray(include)) return [];
  return include.filter((entry): entry is string => typeof entry === "string" && !HONOURED.has(entry));
}

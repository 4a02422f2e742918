import type { GenerationRequest, Tool } from "../../core/answer/generation.ts";

/** What a request says that many protocols have no words for, by the names under which `x-camino-ignored` has it (docs/rulings.md 10). */

/** That arguments of functions must fit their schema, where that cannot be asked for. */
export function unsaidStrictness(tools: readonly Tool[]): readonly string[] {
  return tools.some((tool) => tool.kind === "function" && tool.strict === true) ? ["tools.strict"] : [];
}

/** How closely the model is to look at media of these kinds, where that cannot be said. */
export function unsaidDetail(
  messages: GenerationRequest["messages"],
  kinds: readonly ("image" | "document")[],
): readonly string[] {
  const says = messages.some(({ role, content }) => {
    if (role !== "user" && role !== "tool") return false;
    return content.some(
      (part) =>
        (part.type === "image" || part.type === "document") &&
        kinds.includes(part.type) &&
        (part.detail ?? "auto") !== "auto",
    );
  });
  return says ? ["detail"] : [];
}

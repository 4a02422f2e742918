import type { ChoiceConstraint } from "../../core/catalog.ts";
import type { WireObject } from "./encode-content.ts";

/** The only texts that may be generated, in the vendor's field for them; nothing where the vendor has no such field. */
export function encodeChoices(choices: readonly string[], constraint: ChoiceConstraint | undefined): WireObject {
  switch (constraint) {
    case undefined:
      return {};
    case "structured_outputs":
      return { structured_outputs: { choice: choices } };
    case "guided_choice":
      return { guided_choice: choices };
    case "grammar":
      return { grammar: `root ::= ${choices.map((choice) => JSON.stringify(choice)).join(" | ")}` };
    case "regex":
      return { regex: `(${choices.map(escapeRegex).join("|")})` };
  }
}

/** Not RegExp.escape, which writes a first letter as `\x41`: grammar compilers know less of regular expressions. */
function escapeRegex(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

import type { Configuration } from "../../core/catalog.ts";
import { type Place, report } from "./place.ts";
import { readFields } from "./read-fields.ts";
import { readText } from "./read-scalar.ts";

const ALLOWED = "allow, or refuse, which is the default";

/** Reads what requests of messages may have beyond the specification (docs/rulings.md 189); null for nothing. */
export function readMessages(place: Place | null): NonNullable<Configuration["messages"]> | null {
  const fields = place === null ? null : readFields(place, ["documents"]);
  const documents = fields?.get("documents") ?? null;
  const said = readText(documents, ALLOWED);
  if (documents === null || said === null || said === "refuse") return null;
  return said === "allow" ? { documents: said } : report(documents, ALLOWED);
}

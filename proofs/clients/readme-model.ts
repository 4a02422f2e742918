import { readFileSync } from "node:fs";
import { join } from "node:path";

const README = readFileSync(join(import.meta.dir, "../../README.md"), "utf8");

/** The model in the README's settings for a client, without its vendor. `setting` is what stands before the model's id. */
export function readmeModel(setting: string): string {
  const [, behind = ""] = README.split(setting, 2);
  const [, name] = /^"?[a-z]+\/([\w.-]+)/.exec(behind) ?? [];
  if (name === undefined) throw new Error(`The README has no model behind '${setting}'.`);
  return name;
}

import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The model in a recipe of `docs/how-to`, without its vendor. `setting` is what stands before the model's id. Throws where there is none. */
export function recipeModel(recipe: string, setting: string): string {
  const text = readFileSync(join(import.meta.dir, "../../docs/how-to", `${recipe}.md`), "utf8");
  const [, behind = ""] = text.split(setting, 2);
  const [, name] = /^"?[a-z]+\/([\w.-]+)/.exec(behind) ?? [];
  if (name === undefined) throw new Error(`The recipe ${recipe} has no model behind '${setting}'.`);
  return name;
}

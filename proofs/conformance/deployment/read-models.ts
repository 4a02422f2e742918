import { isFields, parseFields } from "../read-fields.ts";
import type { Deployment } from "../run-cell.ts";

/**
 * The models of a deployment by a JSON file `{"VENDOR": {"KIND": "MODEL ID"}}`; without a file the ids are
 * `VENDOR/KIND`.
 */
export async function readModels(path: string | undefined): Promise<Deployment["modelFor"]> {
  if (path === undefined) return (vendor, kind) => `${vendor}/${kind}`;
  const models = parseFields(await Bun.file(path).text(), path);
  return (vendor, kind) => {
    const kinds = models[vendor];
    const model = isFields(kinds) ? kinds[kind] : undefined;
    return typeof model === "string" ? model : null;
  };
}

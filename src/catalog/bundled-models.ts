import { BUNDLED_DOCUMENTS } from "./data/documents.ts";
import { openDocument, type Place } from "./place.ts";
import { readEntries, readFields } from "./read-fields.ts";
import { type ModelDraft, readModel } from "./read-model.ts";

/** The bundled catalogue's prices are in this currency. */
export const BUNDLED_CURRENCY = "USD";

/**
 * What the drafts have as their place: nothing is wrong with them that would have to be shown, and a real place keeps its
 * whole document in memory.
 */
const NOWHERE: Place = {
  source: { file: "", env: {}, problems: [], lineOf: () => 1, resolve: (node) => node },
  path: "",
  line: 1,
  node: null,
};

const read = new Map<string, ReadonlyMap<string, ModelDraft>>();

/**
 * What the bundled catalogue knows of a vendor's models, by id; empty for vendors that it has none of. The data are
 * documents in the configuration file's own schema, read when a vendor is first asked for.
 */
export function bundledModels(vendor_id: string): ReadonlyMap<string, ModelDraft> {
  const known = read.get(vendor_id);
  if (known !== undefined) return known;
  const text = Object.hasOwn(BUNDLED_DOCUMENTS, vendor_id) ? BUNDLED_DOCUMENTS[vendor_id] : undefined;
  const drafts = text === undefined ? new Map<string, ModelDraft>() : readBundled(text, `${vendor_id}.yaml`);
  read.set(vendor_id, drafts);
  return drafts;
}

function readBundled(text: string, file: string): Map<string, ModelDraft> {
  const { source, root } = openDocument(text, file, {});
  const fields = root === null ? null : readFields(root, ["models"]);
  const models: Place | null = fields?.get("models") ?? null;
  const drafts = new Map<string, ModelDraft>();
  for (const [id, place] of models === null ? [] : (readEntries(models, "a map of models") ?? [])) {
    const draft = readModel(place, null);
    if (draft !== null) drafts.set(id, { ...draft, place: NOWHERE });
  }
  const [problem] = source.problems;
  if (problem !== undefined)
    throw new Error(`bundled catalogue: ${file}:${problem.line}: ${problem.path}: ${problem.found}`);
  return drafts;
}

import { BUNDLED_DOCUMENTS } from "./data/documents.ts";
import { openBundled } from "./open-bundled.ts";
import { openDocument, type Place, type Source } from "../configuration/place.ts";
import { readEntries, readFields } from "../configuration/read-fields.ts";
import { type ModelDraft, readModel } from "../configuration/read-model.ts";
import { readDate, readText } from "../configuration/read-scalar.ts";

/** The bundled catalogue's prices are in this currency. */
export const BUNDLED_CURRENCY = "USD";

/** Of when a vendor's part of the bundled catalogue is, and where its figures come from. */
export interface BundledOrigin {
  /** The day of the newest source, `2026-11-20`. */
  readonly as_of: string;
  /** The same day's beginning in UTC, milliseconds since the epoch. */
  readonly as_of_ms: number;
  /** The vendor's pages, and the packages with their versions, in words. */
  readonly source: string;
}

/** What the bundled catalogue has of one vendor. */
export interface BundledVendor {
  readonly origin: BundledOrigin;
  readonly models: ReadonlyMap<string, ModelDraft>;
}

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

const NO_MODELS: ReadonlyMap<string, ModelDraft> = new Map();

const read = new Map<string, BundledVendor>();

/** The ids of the vendors that the bundled catalogue has models of. */
export const BUNDLED_VENDORS: readonly string[] = Object.keys(BUNDLED_DOCUMENTS);

/**
 * What the bundled catalogue has of a vendor; null where it has nothing. The data are documents in the configuration
 * file's own schema, each with its origin, read when a vendor is first asked for.
 */
export function bundledVendor(vendor_id: string): BundledVendor | null {
  const known = read.get(vendor_id);
  if (known !== undefined) return known;
  const text = Object.hasOwn(BUNDLED_DOCUMENTS, vendor_id) ? BUNDLED_DOCUMENTS[vendor_id] : undefined;
  if (text === undefined) return null;
  const file = `${vendor_id}.yaml`;
  const opened = openBundled(text, file);
  // What is wrong is said with its line.
  const vendor = readOpened(opened) ?? readBundled(text, file);
  read.set(vendor_id, vendor);
  return vendor;
}

/** What the bundled catalogue knows of a vendor's models, by id; empty for vendors that it has none of. */
export function bundledModels(vendor_id: string): ReadonlyMap<string, ModelDraft> {
  return bundledVendor(vendor_id)?.models ?? NO_MODELS;
}

/** Reads a document of the bundled catalogue from its text. Throws at whatever is wrong with it: it is part of the program. */
export function readBundled(text: string, file: string): BundledVendor {
  const opened = openDocument(text, file, {});
  const vendor = readOpened(opened);
  if (vendor !== null) return vendor;
  const [problem] = opened.source.problems;
  throw new Error(`bundled catalogue: ${file}:${problem?.line}: ${problem?.path}: ${problem?.found}`);
}

/** Null with at least one problem reported where something is wrong. */
function readOpened({ source, root }: { source: Source; root: Place | null }): BundledVendor | null {
  const fields = root === null ? null : readFields(root, ["catalogue", "models"]);
  const origin = readOrigin(fields?.require("catalogue", "the origin of the figures: as_of and source") ?? null);
  const models = readDrafts(fields?.require("models", "a map of models") ?? null);
  return source.problems.length > 0 || origin === null ? null : { origin, models };
}

function readOrigin(place: Place | null): BundledOrigin | null {
  const fields = place === null ? null : readFields(place, ["as_of", "source"]);
  const day = fields?.require("as_of", "the day of the newest source, such as 2026-11-20") ?? null;
  const as_of = readText(day);
  const as_of_ms = readDate(day);
  const source = readText(fields?.require("source", "where the figures come from, in words") ?? null);
  return as_of === null || as_of_ms === null || source === null ? null : { as_of, as_of_ms, source };
}

function readDrafts(place: Place | null): Map<string, ModelDraft> {
  const drafts = new Map<string, ModelDraft>();
  for (const [id, inside] of place === null ? [] : (readEntries(place, "a map of models") ?? [])) {
    const draft = readModel(inside, null);
    if (draft !== null) drafts.set(id, { ...draft, place: NOWHERE });
  }
  return drafts;
}

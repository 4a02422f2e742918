import { nodeOf, openDocument, type YamlPlace, type YamlSource } from "../reading/place.ts";
import { readEntries, readFields } from "../reading/read-fields.ts";
import { type ModelDraft, readModel } from "../reading/read-model.ts";
import { readDate, readText } from "../reading/read-scalar.ts";
import { BUNDLED_DOCUMENTS } from "./data/documents.ts";

/** The bundled catalogue's prices are in this currency. */
export const BUNDLED_CURRENCY = "USD";

/** The date of a vendor's part of the bundled catalogue, and the sources of its figures. */
export interface BundledOrigin {
  /** The day of the newest source, `2026-11-20`. */
  readonly as_of: string;
  /** The beginning of the `as_of` day in UTC, milliseconds since the epoch. */
  readonly as_of_ms: number;
  /** For people: the vendor's pages, and the packages with their versions. */
  readonly source: string;
}

/** The bundled catalogue's models of one vendor, and the origin of their figures. */
export interface BundledVendor {
  readonly origin: BundledOrigin;
  readonly models: ReadonlyMap<string, ModelDraft>;
}

/**
 * The place of every bundled draft: a bundled draft has no mistake to report, and a real place would keep its whole
 * document in memory.
 */
const NOWHERE: YamlPlace = {
  source: { file: "", env: {}, problems: [], lineOf: () => 1, resolve: (node) => node },
  path: "",
  line: 1,
  node: null,
};

const NO_MODELS: ReadonlyMap<string, ModelDraft> = new Map();

const read = new Map<string, BundledVendor>();

export const BUNDLED_VENDORS: readonly string[] = Object.keys(BUNDLED_DOCUMENTS);

/**
 * The bundled catalogue's part for a vendor; null for a vendor without one. The data are documents in the configuration
 * file's own schema, each with its origin; a document is read when its vendor is first looked up.
 */
export function bundledVendor(vendor_id: string): BundledVendor | null {
  const known = read.get(vendor_id);
  if (known !== undefined) return known;
  const text = Object.hasOwn(BUNDLED_DOCUMENTS, vendor_id) ? BUNDLED_DOCUMENTS[vendor_id] : undefined;
  if (text === undefined) return null;
  const file = `${vendor_id}.yaml`;
  const opened = openBundled(text, file);
  // The slower reader knows the lines, so its errors name the line of each mistake.
  const vendor = readOpened(opened) ?? readBundled(text, file);
  read.set(vendor_id, vendor);
  return vendor;
}

/** The bundled drafts of a vendor's models, by id; empty for a vendor without bundled models. */
export function bundledModels(vendor_id: string): ReadonlyMap<string, ModelDraft> {
  return bundledVendor(vendor_id)?.models ?? NO_MODELS;
}

/**
 * Reads a document of the bundled catalogue from its text. Throws at any mistake in it: the document is part of the
 * program.
 */
export function readBundled(text: string, file: string): BundledVendor {
  const opened = openDocument(text, file, {});
  const vendor = readOpened(opened);
  if (vendor !== null) return vendor;
  const [problem] = opened.source.problems;
  throw new Error(`bundled catalogue: ${file}:${problem?.line}: ${problem?.path}: ${problem?.found}`);
}

/** Reads an opened document; null, with at least one problem reported, when the document has a mistake. */
function readOpened({ source, root }: { source: YamlSource; root: YamlPlace | null }): BundledVendor | null {
  const fields = readFields(root, ["catalogue", "models"]);
  const origin = readOrigin(fields?.require("catalogue", "the origin of the figures: as_of and source") ?? null);
  const models = readDrafts(fields?.require("models", "a map of models") ?? null);
  return source.problems.length > 0 || origin === null ? null : { origin, models };
}

function readOrigin(place: YamlPlace | null): BundledOrigin | null {
  const fields = readFields(place, ["as_of", "source"]);
  const day = fields?.require("as_of", "the day of the newest source, such as 2026-11-20") ?? null;
  const as_of = readText(day);
  const as_of_ms = readDate(day);
  const source = readText(fields?.require("source", "where the figures come from, in words") ?? null);
  return as_of === null || as_of_ms === null || source === null ? null : { as_of, as_of_ms, source };
}

function readDrafts(place: YamlPlace | null): Map<string, ModelDraft> {
  const drafts = new Map<string, ModelDraft>();
  for (const [id, inside] of readEntries(place, "a map of models") ?? []) {
    const draft = readModel(inside, null);
    if (draft !== null) drafts.set(id, { ...draft, place: NOWHERE });
  }
  return drafts;
}

/**
 * Opens a document that ships with the program, in a thirtieth of the time that `openDocument` takes: Bun reads the
 * YAML, and the places have no lines. Prices pass through a double here and keep their digits, because bundled prices
 * have far fewer than 15 digits; a document with an alias, a repeated key or a price of more digits would be misread,
 * so a test checks that both readers give equal results. Throws when the text is not YAML.
 */
function openBundled(text: string, file: string): { source: YamlSource; root: YamlPlace } {
  const source: YamlSource = { file, env: {}, problems: [], lineOf: () => 1, resolve: (node) => node };
  return { source, root: { source, path: "", line: 1, node: nodeOf(Bun.YAML.parse(text)) } };
}

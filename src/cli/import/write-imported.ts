import { stringify } from "yaml";
import { bundledModels } from "../../catalog/bundled/bundled-models.ts";
import { isModelId } from "../../catalog/names/model-id.ts";
import { roundedDecimal } from "../../catalog/reading/decimal.ts";
import { findVendorRow } from "../../catalog/vendors/vendors.ts";
import { formatAmount, micro } from "../../core/money/money.ts";
import type { Deployment, Imported, ImportedEndUsers, ImportedKey, ModelGroup, Note } from "./imported.ts";
import { CredentialPools } from "./pool-credentials.ts";

/** A configuration file of Camino, and what has to be done beside it. */
export interface WrittenImport {
  /** The file's text. `camino check` accepts it once the variables are set that it names. */
  readonly configuration: string;
  readonly models: number;
  /** The aliases that keys need, so that clients can go on asking for the names that they know. */
  readonly aliases: Readonly<Record<string, string>>;
  /** `camino key create` for each key of the file. */
  readonly keys: readonly string[];
  /** Variables that the configuration names. */
  readonly variables: readonly string[];
  readonly not_imported: readonly Note[];
}

interface ModelEntry {
  upstream_model?: string;
  context_length?: number;
  max_completion_tokens?: number;
  price?: Readonly<Record<string, number>>;
  routes?: { vendor: string; upstream_model: string; weight?: number }[];
  fallbacks?: string[];
}

/** Vendors, models and notes while they are gathered. */
class Draft {
  readonly vendors = new Map<string, Record<string, unknown>>();
  readonly models = new Map<string, ModelEntry>();
  readonly notes: Note[];
  /** Vendor ids by address and credentials, so that two accounts at one vendor are two vendors. */
  readonly #ids = new Map<string, string>();
  readonly #known = new Map<string, ReadonlyMap<string, unknown>>();

  readonly #pools: CredentialPools;

  constructor({ notes, groups }: Pick<Imported, "notes" | "groups">) {
    this.notes = [...notes];
    this.#pools = new CredentialPools(groups);
  }

  vendorOf({ vendor, address, api_key, api_keys }: Deployment): string {
    const identity = JSON.stringify([vendor, address, api_keys ?? api_key]);
    const made = this.#ids.get(identity);
    if (made !== undefined) return made;
    let id = vendor;
    for (let count = 2; this.vendors.has(id); count += 1) id = `${vendor}-${count}`;
    this.#ids.set(identity, id);
    const row = findVendorRow(vendor);
    const usual = id === vendor && address === null && row !== null;
    const endpoint = row?.endpoints.find(({ protocol }) => protocol === "chat-completions") ?? row?.endpoints[0];
    const where = usual ? null : (address ?? endpoint ?? null);
    this.vendors.set(id, {
      ...(where !== null && { protocol: where.protocol, base_url: where.base_url }),
      ...(api_keys !== undefined ? { api_keys } : api_key !== null && { api_key }),
    });
    return id;
  }

  /** The vendors that a model of the file uses, and `others`. */
  vendorsInUse(others: readonly string[]): [string, Record<string, unknown>][] {
    const used = new Set(others);
    for (const [id, { routes }] of this.models) {
      if (routes === undefined) used.add(id.slice(0, id.indexOf("/")));
      for (const { vendor } of routes ?? []) used.add(vendor);
    }
    return [...this.vendors].filter(([id]) => used.has(id));
  }

  /** Whether the bundled catalogue has a price for it. */
  isBundled(id: string): boolean {
    const vendor = id.slice(0, id.indexOf("/"));
    if (!this.#known.has(vendor)) this.#known.set(vendor, bundledModels(vendor));
    return this.#known.get(vendor)?.has(id) ?? false;
  }

  /** Adds a model that these deployments serve, and returns its id; null where it cannot be one, which is noted. */
  add(name: string, level: readonly Deployment[]): string | null {
    const deployments = this.#pools.of(level);
    if (level.length === 1 && deployments[0]?.api_keys !== undefined) {
      const text = `${name}: is served with all ${deployments[0].api_keys.length} credentials of ${deployments[0].vendor}`;
      this.notes.push({ line: deployments[0].line, text });
    }
    const [first] = deployments;
    if (first === undefined) return null;
    const vendors = deployments.map((each) => this.vendorOf(each));
    const usual = `${vendors[0]}/${first.upstream_model}`;
    const priced = deployments.find(({ price }) => price !== null);
    const routes = deployments.map(({ upstream_model, weight }, at) => ({
      vendor: vendors[at] ?? "",
      upstream_model,
      ...(weight !== null && weight > 0 && { weight }),
    }));
    const entry: ModelEntry = {
      ...(first.context_length !== null && { context_length: first.context_length }),
      ...(first.max_completion_tokens !== null && { max_completion_tokens: first.max_completion_tokens }),
      ...(priced?.price && { price: priced.price }),
      ...(deployments.length > 1 && { routes }),
    };
    const id = this.#idFor(usual, name, entry);
    if (!isModelId(id)) {
      this.notes.push({ line: first.line, text: `${name}: ${JSON.stringify(id)} cannot be the id of a model` });
      return null;
    }
    if (entry.price === undefined && !this.isBundled(id)) {
      const missing = `${name}: the file has no price for ${usual}, and the bundled catalog does not know it. Name it under models: with a price`;
      this.notes.push({ line: first.line, text: missing });
      return null;
    }
    if (id !== usual && deployments.length === 1) entry.upstream_model = first.upstream_model;
    this.models.set(id, { ...this.models.get(id), ...entry });
    return id;
  }

  /** The vendor's own name for a model; where another group has that name with other routes, the group's name. */
  #idFor(usual: string, name: string, entry: ModelEntry): string {
    const other = this.models.get(usual);
    const same =
      other === undefined || Bun.deepEquals({ ...other, fallbacks: undefined }, { ...entry, fallbacks: undefined });
    return same ? usual : `${usual.slice(0, usual.indexOf("/"))}/${name.replaceAll(/[^A-Za-z0-9._:/@+~-]/g, "-")}`;
  }
}

/** The limits by model of a key, by the ids of models here: a limit holds under every name of its model. */
function modelLimits({ notes }: Draft, { model_limits }: ImportedKey, ids: ReadonlyMap<string, string>): string[] {
  const options: string[] = [];
  for (const [name, limits] of model_limits ?? []) {
    const id = ids.get(name) ?? (name.includes("*") ? name : null);
    if (id === null) notes.push({ line: 0, text: `a key's limit for ${name}: the file has no such model` });
    else options.push(`--model-limit ${quoted(`${id}:${limits}`)}`);
  }
  return options;
}

export function writeImported(imported: Imported, source: string): WrittenImport {
  const draft = new Draft(imported);
  for (const vendor of imported.vendors) if (!draft.vendors.has(vendor)) draft.vendors.set(vendor, {});
  const ids = new Map<string, string>();
  for (const group of imported.groups) addGroup(draft, ids, group);
  for (const group of imported.groups) addFallbacks(draft, ids, group);
  const aliases: Record<string, string> = {};
  for (const { name } of imported.groups) {
    const id = ids.get(name);
    if (id !== undefined && id !== name) aliases[name] = id;
  }
  for (const [alias, target] of imported.aliases) {
    const id = ids.get(target);
    if (id === undefined) draft.notes.push({ line: 0, text: `the alias ${alias}: ${target} was not imported` });
    else aliases[alias] = id;
  }
  const options = Object.entries(aliases).map(([alias, id]) => `--alias ${quoted(`${alias}=${id}`)}`);
  const keys = imported.keys.map((key) =>
    ["camino key create --account ACCOUNT", ...key.options, ...modelLimits(draft, key, ids), ...options].join(" "),
  );
  for (const [id, amount] of imported.spend ?? []) addSpend(draft, id, amount);
  const vendors = draft.vendorsInUse(imported.vendors);
  const document = {
    ...(vendors.length > 0 && { vendors: Object.fromEntries(vendors) }),
    ...(draft.models.size > 0 && { models: Object.fromEntries(draft.models) }),
    ...(imported.end_users !== undefined && { limits: limitsOf(imported.end_users) }),
  };
  const body =
    Object.keys(document).length === 0 ? "" : stringify(document, { lineWidth: 0, flowCollectionPadding: true });
  const not_imported = draft.notes.toSorted((a, b) => a.line - b.line);
  const head = [`Imported from ${source}.`, ...headOf(not_imported, keys, options)];
  const variables = [...new Set(Array.from(body.matchAll(/\$\{(\w+)\}/g), ([, name = ""]) => name))].sort();
  return {
    configuration: `${head.map((line) => `# ${line}`.trimEnd()).join("\n")}\n\n${body}`,
    ...{ models: draft.models.size, aliases, keys, variables, not_imported },
  };
}

/** Limits what a vendor may cost a day, where it has one place: spending is not shared between vendors. */
function addSpend({ vendors, notes }: Draft, id: string, amount: string): void {
  const [only, ...others] = [...vendors.keys()].filter((each) => each === id || each.startsWith(`${id}-`));
  const spend = roundedDecimal(amount, 6);
  if (only !== undefined && others.length === 0 && spend !== null && spend > 0n)
    vendors.set(only, { ...vendors.get(only), limits: { spend: `${formatAmount(micro(spend))}/day` } });
  else notes.push({ line: 0, text: `the budget of ${id} of ${amount} a day: write limits.spend beside its vendors` });
}

/** End users as values of a tag (docs/rulings.md 176). */
function limitsOf({ limits, values }: ImportedEndUsers) {
  const of_values = values.size > 0 ? { values: Object.fromEntries(values) } : {};
  return { tags: { customer: { ...limits, ...of_values } }, end_user: "customer" };
}

function headOf(notes: readonly Note[], keys: readonly string[], options: readonly string[]): string[] {
  const lines: string[] = [];
  const made =
    keys.length > 0 ? keys : options.length > 0 ? [`camino key create --account ACCOUNT ${options.join(" ")}`] : [];
  if (made.length > 0) lines.push("", "Keys, with the names that clients know:", ...made.map((line) => `  ${line}`));
  if (notes.length > 0) lines.push("", "Not imported:", ...notes.map((note) => `  ${describeNote(note)}`));
  return lines;
}

export function describeNote({ line, text }: Note): string {
  return line === 0 ? text : `line ${line}: ${text}`;
}

function addGroup(draft: Draft, ids: Map<string, string>, { name, levels }: ModelGroup): void {
  const chain = levels.flatMap((level, at) => draft.add(at === 0 ? name : `${name}-${at + 1}`, level) ?? []);
  const [id, ...others] = chain;
  if (id === undefined) return;
  ids.set(name, id);
  const rest = others.filter((other) => other !== id);
  if (rest.length > 0) draft.models.set(id, { ...draft.models.get(id), fallbacks: rest });
}

function addFallbacks(draft: Draft, ids: ReadonlyMap<string, string>, { name, fallbacks }: ModelGroup): void {
  const id = ids.get(name);
  if (id === undefined) return;
  const entry = draft.models.get(id) ?? {};
  const targets = fallbacks.flatMap((target) => {
    const found = ids.get(target);
    if (found === undefined)
      draft.notes.push({ line: 0, text: `the fallback of ${name} on ${target}: it was not imported` });
    return found === undefined || found === id ? [] : [found];
  });
  const all = [...new Set([...(entry.fallbacks ?? []), ...targets])];
  if (all.length > 0) draft.models.set(id, { ...entry, fallbacks: all });
}

/** A word for a shell. */
function quoted(text: string): string {
  return /^[\w.,:/@=+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

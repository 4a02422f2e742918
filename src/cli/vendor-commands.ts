import { stat } from "node:fs/promises";
import type { Command } from "commander";
import { stringify } from "yaml";
import { ElementChange } from "../../contract/configuration.ts";
import { MOST_LIST_CHARACTERS, type VendorOffer, VendorOffers } from "../../contract/offers.ts";
import { listOfParts, partsOfList } from "../../contract/published-lists.ts";
import { VendorList } from "../../contract/vendors.ts";
import { LITELLM_VENDORS, MODELS_DEV_VENDORS } from "../core/catalog/listed-vendors.ts";
import { addCredentialCommands } from "./credential-commands.ts";
import { type CommonOptions, callAndPrint, gatewayCommand, print } from "./shared/command.ts";
import type { CliDeps } from "./shared/deps.ts";
import { CliFailure } from "./shared/failure.ts";
import { callGateway, type GatewayOptions } from "./shared/gateway-client.ts";
import { readPatterns } from "./shared/read-arguments.ts";
import { readSource } from "./shared/read-source.ts";
import { counted, formatTable } from "./shared/table.ts";

interface VendorModelsOptions extends OfferOptions {
  readonly list?: string;
  readonly listVendor?: string;
  readonly new?: true;
  readonly yaml?: true;
}

interface VendorListOptions extends CommonOptions, GatewayOptions {
  readonly all?: true;
}

function tableOfVendors({ data }: VendorList, all: boolean): string {
  const shown = data.filter(({ status }) => all || status === "enabled");
  if (shown.length === 0) return "No vendor is enabled: set a vendor's variable, or camino vendor set-credential.";
  const rows = shown.map(({ id, status, protocols, model_count, credential }) => [
    ...[id, status, protocols.join(" "), String(model_count)],
    credential.source === null ? "none" : `${credential.source}${endingOf(credential)}`,
  ]);
  return formatTable(["vendor", "status", "protocols", ">models", "credential"], rows);
}

function endingOf({ hint, keys }: VendorList["data"][number]["credential"]): string {
  if (keys.length === 0) return hint === null ? "" : ` …${hint}`;
  const resting = keys.filter(({ state }) => state === "resting").length;
  return `, ${counted(keys.length, "key")}${resting === 0 ? "" : `, ${resting} resting`}`;
}

export function addVendorCommands(program: Command, deps: CliDeps): void {
  const vendor = program.command("vendor").description("the vendors of a running gateway");
  addCredentialCommands(vendor, deps);
  gatewayCommand(vendor, "list", "the vendors that are enabled, with their credentials' places")
    .option("--all", "also vendors that are known and not enabled")
    .action(({ all, ...options }: VendorListOptions) => {
      const call = { method: "GET", path: ["vendors"], answer: VendorList } as const;
      return callAndPrint(deps, options, call, (list) => tableOfVendors(list, all === true));
    });
  gatewayCommand(vendor, "models <vendor>", "a vendor's own list of models, with proposed configuration")
    .option("--list <file|url>", "propose prices from this published list too: models.dev, LiteLLM")
    .option("--list-vendor <id>", "the list's vendor whose models are meant (default: the vendor's own id)")
    .option("--new", "only models that the gateway does not offer")
    .option("--offer <name,...>", "offer these, each by its best proposal", readPatterns)
    .option("--yes", "with --offer: apply it; without it nothing is changed")
    .option("--yaml", "print the models that the gateway does not offer as configuration")
    .action(async (id: string, options: VendorModelsOptions) => {
      const offers = await ask(deps, id, options);
      if (options.offer !== undefined) return offer(deps, options, offers, options.offer);
      const shown =
        options.new || options.yaml ? offers.data.filter(({ offered_as }) => offered_as.length === 0) : offers.data;
      if (options.yaml) deps.stdout(configurationOf(shown));
      else print(deps, options, { ...offers, data: shown }, tableOfOffers);
    });
}

async function offer(
  deps: CliDeps,
  options: VendorModelsOptions,
  offers: VendorOffers,
  names: readonly string[],
): Promise<void> {
  if (options.yes) {
    const data = await offerModels(deps, options, offers, names);
    const words = (made: { data: typeof data }) => made.data.map(({ id }) => `${id} is offered.`).join("\n");
    return print(deps, options, { object: "list", data }, words);
  }
  const chosen = names.map((name) => requireOffer(offers.vendor, offers.data, name));
  print(
    deps,
    options,
    { ...offers, data: chosen },
    () => `${configurationOf(chosen)}Nothing is changed yet: --yes offers this.`,
  );
}

async function ask(deps: CliDeps, id: string, options: VendorModelsOptions): Promise<VendorOffers> {
  const path = ["vendors", id, "models"];
  const { list } = options;
  if (list === undefined) return callGateway(deps, options, { method: "GET", path, answer: VendorOffers });
  const body = { list: await readList(list, options.listVendor ?? id, deps) };
  return callGateway(deps, options, { method: "POST", path, body, answer: VendorOffers });
}

/** The part of a published list for one vendor. Throws a CliFailure where the list has not the vendor. */
async function readList(source: string, vendor: string, deps: CliDeps) {
  const parts = partsOfList(await readSource(source, deps.fetch));
  if (parts === null) throw listFailure(`${source} is no list of models that Camino knows: models.dev's or LiteLLM's.`);
  const of_vendor = parts.filter(({ name }) => name === vendor || idOf(name) === vendor);
  if (of_vendor.length === 0) {
    const names = parts.map(({ name }) => name).slice(0, 20);
    throw listFailure(
      `${source} has no vendor '${vendor}'; name one of its vendors with --list-vendor, such as ${names.join(", ")}.`,
    );
  }
  const text = listOfParts(of_vendor);
  if (text.length > MOST_LIST_CHARACTERS) {
    throw listFailure(
      `The part of ${source} for ${vendor} has ${text.length} characters; at most ${MOST_LIST_CHARACTERS} are read.`,
    );
  }
  return { name: source.slice(-200), as_of: await dayOf(source, deps), text };
}

/** Camino's id of a list's vendor. */
function idOf(name: string): string {
  return MODELS_DEV_VENDORS[name] ?? LITELLM_VENDORS[name] ?? name;
}

function listFailure(message: string): CliFailure {
  return new CliFailure(message, { code: "unreadable_list" });
}

/** The day of a list: of a file, when it was written; of an address, today. */
async function dayOf(source: string, { clock }: CliDeps): Promise<string> {
  const written_ms = await stat(source).then(
    ({ mtimeMs }) => mtimeMs,
    () => clock.now_ms(),
  );
  return new Date(written_ms).toISOString().slice(0, 10);
}

function tableOfOffers({ vendor, url, currency, data, is_cut, left_out, found_in_list }: VendorOffers): string {
  const columns = [
    "vendor's name",
    ">context",
    "offered as",
    `>input ${currency}/M`,
    `>output ${currency}/M`,
    "price from",
  ];
  const rows = data.map((offer) => [
    offer.upstream_model,
    offer.context_length?.toString() ?? "",
    offer.offered_as.join(", "),
    ...priceOf(offer),
    sourceOf(offer),
  ]);
  const notes = [
    `${counted(data.length, "model")} of ${vendor}, by ${url}.`,
    ...(is_cut ? ["The vendor's list is longer; the rest was not read."] : []),
    ...(found_in_list === null ? [] : [`The list has ${found_in_list} of the vendor's models.`]),
    ...(left_out.length === 0 ? [] : [`Left out: ${left_out.join("; ")}`]),
  ];
  return `${data.length === 0 ? "" : `${formatTable(columns, rows)}\n\n`}${notes.join("\n")}`;
}

function priceOf({ proposals }: VendorOffer): [string, string] {
  const price = proposals[0]?.element.price;
  const text = (name: string) => {
    const value = typeof price === "object" && price !== null ? Reflect.get(price, name) : undefined;
    return typeof value === "string" ? value : "";
  };
  return [text("input"), text("output")];
}

const SOURCES = { list: "the list", vendor: "the vendor", bundled: "Camino", self_hosted: "your own server", none: "" };

function sourceOf({ proposals }: VendorOffer): string {
  const source = proposals[0]?.source;
  if (source === undefined) return "";
  return source.as_of === null ? SOURCES[source.kind] : `${SOURCES[source.kind]}, ${source.as_of}`;
}

/** A value with counts and flags as texts, which is what every scalar of a configuration file is (YAML's failsafe schema). */
function textsOf(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_key, inside: unknown) =>
    typeof inside === "number" || typeof inside === "boolean" ? String(inside) : inside,
  );
}

/** The `models` part of a configuration file. Models without a known price stand in it as a comment that says so. */
function configurationOf(offers: readonly VendorOffer[]): string {
  const elements = offers.map(({ model, proposals }) => ({ model, element: proposals[0]?.element ?? {} }));
  const priced = elements.filter(({ element }) => "price" in element);
  const unpriced = elements.filter(({ element }) => !("price" in element));
  const models = Object.fromEntries(priced.map(({ model, element }) => [model, textsOf(element)]));
  const text = stringify({ models }, { schema: "failsafe", lineWidth: 0 });
  const comments = unpriced.map(
    ({ model }) => `# ${model}: no price is known; give it one such as { input: 3.00, output: 15.00 }\n`,
  );
  return `${text}${comments.join("")}`;
}

interface OfferOptions extends CommonOptions, GatewayOptions {
  readonly offer?: string[];
  readonly yes?: true;
}

/**
 * Offers models of a vendor's list as elements of the configuration, each by its best proposal; returns the elements. Throws a
 * CliFailure before anything is changed where a name is not in the list, or no price is known.
 */
async function offerModels(
  deps: CliDeps,
  options: OfferOptions,
  { vendor, data }: VendorOffers,
  names: readonly string[],
): Promise<ElementChange[]> {
  const chosen = names.map((name) => requireOffer(vendor, data, name));
  const made: ElementChange[] = [];
  for (const { model, proposals } of chosen) {
    const value = proposals[0]?.element ?? {};
    const preview = { method: "POST", path: ["configuration", "preview"], answer: ElementChange } as const;
    const asked = { kind: "model", id: model, action: "put", value };
    const { version, problems } = await callGateway(deps, options, { ...preview, body: asked });
    if (problems.length > 0) {
      throw new CliFailure(problems.map(({ message }) => message).join("\n"), { code: "invalid_configuration" });
    }
    const path = ["configuration", "elements", "model", model];
    made.push(
      await callGateway(deps, options, { method: "PUT", path, body: { value, version }, answer: ElementChange }),
    );
  }
  return made;
}

/** The offer of a name. Throws a CliFailure where it cannot be made as it is. */
function requireOffer(vendor: string, offers: readonly VendorOffer[], name: string): VendorOffer {
  const offer = offers.find(({ upstream_model, model }) => upstream_model === name || model === name);
  if (offer === undefined) throw offerFailure(`The list of ${vendor} has no model '${name}'.`);
  const [offered_as] = offer.offered_as;
  if (offered_as !== undefined) throw offerFailure(`${name} is offered already, as ${offered_as}.`);
  if (offer.proposals[0]?.element.price !== undefined) return offer;
  const how = `camino config set model ${offer.model} '{ price: { input: 3.00, output: 15.00 } }'`;
  throw offerFailure(`No price of ${name} is known: give a list of prices (--list), or write one with ${how}.`);
}

function offerFailure(message: string): CliFailure {
  return new CliFailure(message, { code: "cannot_offer" });
}

import { stringify } from "yaml";
import type { Vendor, VendorKey } from "../../core/catalog/catalog.ts";
import type { ElementValue } from "../../core/catalog/configuration-elements.ts";
import type { Environment } from "../../core/environment.ts";
import { isObject } from "../../core/json.ts";
import { SIMULATOR_ID } from "../bundled/simulated-vendor.ts";
import { isSecretPath, valueAt } from "../configuration/element-value.ts";
import { type ConfigurationInput, KEPT_SECTIONS } from "../configuration/load-configuration.ts";
import { type VendorSources, vendorStatus } from "../configuration/vendor-status.ts";
import { aliasEntries } from "../names/aliases.ts";
import { onlyVariable } from "../reading/expand-environment.ts";
import { openDocument } from "../reading/place.ts";
import { readEntries } from "../reading/read-fields.ts";
import { writeLimits, writeModel, writeVendor, writeVendorLimits } from "./write-elements.ts";

export interface ExportedText {
  readonly text: string;
  readonly variables: ExportedVariables["list"];
}

/**
 * The configuration in force, as a file: with its variables set it gives the same configuration anywhere (the property in
 * export-configuration.test.ts). Everything is written out, so that the bundled catalogue of another version changes nothing. A secret
 * is written as the variable that it comes from, or as one that has to be set. `own`: the values of the database's vendors, by id.
 */
export function exportConfiguration(
  sources: VendorSources,
  input: ConfigurationInput,
  own: ReadonlyMap<string, ElementValue>,
): ExportedText {
  const { current } = sources;
  const variables = new ExportedVariables(input.env);
  const written = writtenVendors(input);
  // The unlisted models that the first run leaves for its demo key belong to this gateway alone.
  const listed = [...current.models.values()].filter(({ unlisted }) => unlisted !== "demo");
  const has_demo = listed.length < current.models.size;
  const kept = [...current.vendors.values()].filter(({ id }) => !(has_demo && id === SIMULATOR_ID));
  const vendors = kept.map((vendor) => [
    vendor.id,
    exportVendor(vendor, { sources, variables, written: written.get(vendor.id) ?? {}, own: own.get(vendor.id) ?? {} }),
  ]);
  const retired = [...(current.retired?.values() ?? [])].map((model) => [
    model.id,
    { ...writeModel(model), retired: true },
  ]);
  const models = [...listed.map((model) => [model.id, writeModel(model)]), ...retired];
  const aliases = aliasEntries(current.aliases).filter(([, id]) => current.models.get(id)?.unlisted !== "demo");
  const document = {
    currency: current.currency,
    catalog: "none",
    ...(vendors.length > 0 && { vendors: Object.fromEntries(vendors) as object }),
    ...(models.length > 0 && { models: Object.fromEntries(models) as object }),
    ...(aliases.length > 0 && { aliases: Object.fromEntries(aliases) }),
    limits: writeLimits(current.limits),
    ...sectionsOf(input, variables),
  };
  const body = stringify(document, { lineWidth: 0, aliasDuplicateObjects: false });
  return { text: `${headOf(variables)}${body}`, variables: variables.list };
}

interface ExportParts {
  readonly sources: VendorSources;
  readonly variables: ExportedVariables;
  readonly written: ElementValue;
  readonly own: ElementValue;
}

function exportVendor(vendor: Vendor, parts: ExportParts): Record<string, unknown> {
  const { loaded } = parts.sources;
  const is_built_in =
    vendor.id === SIMULATOR_ID && (loaded.input.simulator !== undefined || !loaded.named.has(vendor.id));
  // A vendor without an address is the simulator of the gateway that reads the file.
  const { base_url, protocol, ...rest } = writeVendor(vendor);
  const headers = exportHeaders(vendor, parts);
  return {
    ...rest,
    ...(!is_built_in && { protocol, base_url }),
    ...exportCredential(vendor, parts),
    ...(Object.keys(headers).length > 0 && { headers }),
  };
}

function exportHeaders({ id, headers }: Vendor, { variables, written, own }: ExportParts): Record<string, string> {
  const of_file = headersIn(written);
  const of_database = headersIn(own);
  return Object.fromEntries(
    Object.entries(headers).map(([name, text]) => {
      // The database's are no secrets: its reader refuses those.
      if (of_database.has(name)) return [name, text];
      return [
        name,
        variables.reference(
          [id, "header", name],
          onlyVariable(of_file.get(name)),
          `the header ${name} of the vendor ${id}`,
        ),
      ];
    }),
  );
}

function headersIn(value: ElementValue): Map<string, string> {
  if (typeof value === "string" || !isObject(value.headers)) return new Map();
  return new Map(Object.entries(value.headers).map(([name, text]) => [name.toLowerCase(), String(text)]));
}

function exportCredential(vendor: Vendor, { sources, variables, written }: ExportParts): Record<string, unknown> {
  const { id, api_key, api_keys, aws, endpoints } = vendor;
  const { source = null, variable = null } = vendorStatus(sources, id)?.credential ?? {};
  const from = source === "console" ? ", which the console has" : "";
  const in_file = typeof written === "string" || source !== "file" ? {} : written;
  if (aws !== undefined) {
    const file_aws = isObject(in_file.aws) ? in_file.aws : {};
    const usual = source === "environment";
    const part = (name: string, env_name: string) =>
      variables.reference(
        [id, "aws", name],
        usual ? env_name : onlyVariable(file_aws[name]),
        `the aws.${name} of the vendor ${id}${from}`,
      );
    return {
      aws: {
        access_key_id: part("access_key_id", "AWS_ACCESS_KEY_ID"),
        secret_access_key: part("secret_access_key", "AWS_SECRET_ACCESS_KEY"),
        ...(aws.session_token !== null && { session_token: part("session_token", "AWS_SESSION_TOKEN") }),
        region: aws.region,
      },
    };
  }
  if (api_keys !== undefined) return { api_keys: exportKeys(vendor, api_keys, { variables, in_file, from }) };
  if (api_key === null) return {};
  const is_account = endpoints.some(({ credential }) => credential === "google-service-account");
  const key = is_account ? "google_service_account" : "api_key";
  const named = source === "console" ? null : (variable ?? onlyVariable(in_file[key]));
  return { [key]: variables.reference([id, key], named, `the ${key} of the vendor ${id}${from}`) };
}

function exportKeys(
  { id }: Vendor,
  keys: readonly VendorKey[],
  { variables, in_file, from }: Pick<ExportParts, "variables"> & { readonly in_file: object; readonly from: string },
) {
  const written: readonly unknown[] = "api_keys" in in_file && Array.isArray(in_file.api_keys) ? in_file.api_keys : [];
  return keys.map(({ name, weight, limits }, index) => {
    const of_file = written[index];
    return {
      name,
      key: variables.reference(
        [id, "key", name],
        onlyVariable(isObject(of_file) ? of_file.key : undefined),
        `the key ${name} of the vendor ${id}${from}`,
      ),
      weight: String(weight),
      ...(limits !== undefined && { limits: writeVendorLimits(limits) }),
    };
  });
}

/** The file's vendors as they are written, secrets included. */
function writtenVendors({ file_text, file_name, env }: ConfigurationInput): ReadonlyMap<string, ElementValue> {
  const vendors = sectionIn({ file_text, file_name, env }, "vendors");
  const entries = readEntries(vendors, "a map") ?? [];
  return new Map(
    entries.map(([id, place]) => [id, (valueAt({ ...place, path: "" }, (text) => text) ?? {}) as ElementValue]),
  );
}

function sectionIn(
  { file_text, file_name, env }: Pick<ConfigurationInput, "file_text" | "file_name" | "env">,
  name: string,
) {
  const { root } = openDocument(file_text ?? "", file_name, env);
  return root === null ? null : (new Map(readEntries(root, "a map") ?? []).get(name) ?? null);
}

function sectionsOf(input: ConfigurationInput, variables: ExportedVariables): Record<string, unknown> {
  const sections = KEPT_SECTIONS.flatMap((name) => {
    const place = sectionIn(input, name);
    const hide = (text: string, path: string): string => {
      const whole = `${name}.${path}`;
      return isSecretPath(whole)
        ? variables.reference(whole.split("."), onlyVariable(text), `the ${whole} of the file`)
        : text;
    };
    const value = place === null ? null : valueAt({ ...place, path: "" }, hide);
    return value === null ? [] : [[name, value] as const];
  });
  return Object.fromEntries(sections);
}

function headOf({ list }: ExportedVariables): string {
  const lines = [
    "Written by camino export: the configuration in effect, with every default written out.",
    "The bundled catalog adds nothing to it (catalog: none).",
  ];
  const missing = list.filter(({ set }) => !set);
  if (missing.length > 0) lines.push("", "To be set in the environment before this file is used:");
  lines.push(...missing.map(({ name, holds }) => `  ${name}: ${holds}`));
  return `${lines.map((line) => `# ${line}`.trimEnd()).join("\n")}\n\n`;
}

/** A variable that an exported file refers to. */
interface ExportedVariable {
  readonly name: string;
  /** The content that it has to hold, for people. */
  readonly holds: string;
  /** Whether the environment has it under this name. */
  readonly set: boolean;
}

/** The variables of one exported file: those that secrets come from, and new ones for secrets that come from elsewhere. */
class ExportedVariables {
  readonly list: ExportedVariable[] = [];
  readonly #env: Environment;

  constructor(env: Environment) {
    this.#env = env;
  }

  /** The text in place of a secret in a file: `${NAME}`. `named`: the variable that the secret comes from; null where none has it. */
  reference(path: readonly string[], named: string | null, holds: string): string {
    const name = named ?? this.#newName(path);
    if (!this.list.some((known) => known.name === name)) this.list.push({ name, holds, set: Boolean(this.#env[name]) });
    return `\${${name}}`;
  }

  #newName(path: readonly string[]): string {
    const stem = ["CAMINO", ...path].map((part) => part.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")).join("_");
    const is_taken = (name: string) => this.#env[name] !== undefined || this.list.some((known) => known.name === name);
    let name = stem;
    for (let next = 2; is_taken(name); next += 1) name = `${stem}_${next}`;
    return name;
  }
}

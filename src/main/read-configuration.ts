import { readFile } from "node:fs/promises";
import { SIMULATOR_ID, simulatorConfiguration, withDemo } from "../catalog/bundled/simulated-vendor.ts";
import type { GivenElement } from "../catalog/configuration/element-layer.ts";
import {
  asksForSimulator,
  type ConfigurationInput,
  type LoadedConfiguration,
  loadWithOrigins,
  readCellsOf,
} from "../catalog/configuration/load-configuration.ts";
import type { CellSettings } from "../core/catalog/cell-settings.ts";
import type { Environment } from "../core/environment.ts";
import { BuiltInSimulator } from "./built-in-simulator.ts";
import { type Settings, SettingsError } from "./settings/settings.ts";
import { withVendorSecrets } from "./settings/vendor-secrets.ts";

interface ReadConfiguration {
  readonly loaded: LoadedConfiguration;
  /** Whether nothing is configured, so that only the simulator answers (the first run). */
  readonly first_run: boolean;
}

/**
 * Reads the configuration, and starts the built-in simulator where a file names the vendor `sim` or nothing is
 * configured. Throws a ConfigurationError that lists every problem, or a SettingsError.
 */
export async function readConfiguration(
  { config_file }: Pick<Settings, "config_file">,
  env: Environment,
  simulator: BuiltInSimulator,
): Promise<ReadConfiguration> {
  const file_text = config_file === null ? null : await readText(config_file);
  const file_name = config_file ?? "camino.yaml";
  const input = { file_text, file_name, env: withVendorSecrets(env, file_text) };
  // The simulator starts before the file is read, as the file's vendor `sim` needs its address.
  if (file_text !== null && asksForSimulator(file_text)) {
    return { loaded: loadWithOrigins({ ...input, simulator: await simulator.start() }), first_run: false };
  }
  const loaded = loadWithOrigins(input);
  if (loaded.configuration.models.size > 0) return { loaded: await keepDemo(loaded, simulator), first_run: false };
  return { loaded: await orSimulator(loaded, simulator), first_run: true };
}

/**
 * A configuration with the simulator's models where it offers none: nobody has configured a model. Vendors that are configured already stay:
 * one is asked for its list before the first of its models is offered.
 */
export async function orSimulator(
  loaded: LoadedConfiguration,
  simulator: BuiltInSimulator,
): Promise<LoadedConfiguration> {
  if (loaded.configuration.models.size > 0) return await keepDemo(loaded, simulator);
  simulator.keepForDemo();
  const { currency, models, vendors } = simulatorConfiguration(await simulator.start());
  const configured = loaded.configuration;
  const configuration = { ...configured, currency, models, vendors: new Map([...vendors, ...configured.vendors]) };
  return { ...loaded, configuration };
}

/** The configuration with the simulator for the demo key of the first run, where there is one (docs/design/people.md). */
async function keepDemo(loaded: LoadedConfiguration, simulator: BuiltInSimulator): Promise<LoadedConfiguration> {
  if (!simulator.hasDemo) return loaded;
  return { ...loaded, configuration: withDemo(loaded.configuration, await simulator.start()) };
}

/**
 * The input with which the database's elements are read: the file's input, with the simulator where one of them is the vendor `sim` without
 * an address, and with its models as targets of aliases where a first run has given a demo key out.
 */
export async function inputWithSimulator(
  { input }: LoadedConfiguration,
  elements: readonly GivenElement[],
  simulator: BuiltInSimulator,
): Promise<ConfigurationInput> {
  const asks = elements.some(
    ({ kind, id, value }) =>
      kind === "vendor" && id === SIMULATOR_ID && typeof value !== "string" && value.base_url === undefined,
  );
  const led = simulator.hasDemo && elements.some(({ kind }) => kind === "alias");
  return {
    ...input,
    ...(asks && input.simulator === undefined && { simulator: await simulator.start() }),
    ...(led && { demo: await simulator.start() }),
  };
}

/** Like `readConfiguration`, with a simulator that is stopped when everything is. */
export async function openConfiguration(
  settings: Pick<Settings, "config_file">,
  env: Environment,
  opened: AsyncDisposableStack,
  has_demo = false,
): Promise<ReadConfiguration & { readonly simulator: BuiltInSimulator }> {
  const simulator = new BuiltInSimulator(has_demo);
  opened.defer(() => simulator.stop());
  return { ...(await readConfiguration(settings, env, simulator)), simulator };
}

/** The cells that the configuration file names; undefined where it names none. Throws a ConfigurationError with the problems of this section. */
export async function readFileCells(file: string | null, env: Environment): Promise<CellSettings | undefined> {
  return file === null ? undefined : readCellsOf({ file_text: await readText(file), file_name: file, env });
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (thrown) {
    const reason = thrown instanceof Error && "code" in thrown ? String(thrown.code) : "unknown reason";
    throw new SettingsError(`The configuration file ${path} cannot be read (${reason}).`, { cause: thrown });
  }
}

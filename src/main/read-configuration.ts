import { readFile } from "node:fs/promises";
import type { Simulator } from "../../simulator/server.ts";
import {
  asksForSimulator,
  type LoadedConfiguration,
  loadWithOrigins,
} from "../catalog/configuration/load-configuration.ts";
import { simulatorConfiguration } from "../catalog/vendors/simulated-vendor.ts";
import { type Environment, type Settings, SettingsError } from "./settings.ts";
import { withVendorSecrets } from "./vendor-secrets.ts";

export interface ReadConfiguration {
  readonly loaded: LoadedConfiguration;
  /** The built-in simulator, where it is part of the catalogue. */
  readonly simulator: Simulator | null;
  /** Whether nothing is configured, so that only the simulator answers (the first run). */
  readonly first_run: boolean;
}

/**
 * Reads the configuration, and starts the built-in simulator where a file names the vendor `sim` or nothing is
 * configured. Throws a ConfigurationError that lists every problem, or a SettingsError.
 */
export async function readConfiguration(
  settings: Pick<Settings, "config_file">,
  env: Environment,
): Promise<ReadConfiguration> {
  const { config_file } = settings;
  const file_text = config_file === null ? null : await readText(config_file);
  const file_name = config_file ?? "camino.yaml";
  const input = { file_text, file_name, env: withVendorSecrets(env, file_text) };
  // The simulator starts before the file is read, as the file's vendor `sim` needs its address.
  if (file_text !== null && asksForSimulator(file_text)) return await withSimulator(input);
  const loaded = loadWithOrigins(input);
  if (loaded.configuration.models.size > 0) return { loaded, simulator: null, first_run: false };
  const { simulator, models } = await startSimulator();
  const simulated = simulatorConfiguration({ base_url: simulator.base_url, models });
  const { limits, console, operations } = loaded.configuration;
  const configuration = {
    ...simulated,
    limits,
    ...(console === undefined ? {} : { console }),
    ...(operations === undefined ? {} : { operations }),
  };
  return { loaded: { ...loaded, configuration }, simulator, first_run: true };
}

async function withSimulator(input: Parameters<typeof loadWithOrigins>[0]): Promise<ReadConfiguration> {
  const { simulator, models } = await startSimulator();
  try {
    const { base_url } = simulator;
    const loaded = loadWithOrigins({ ...input, simulator: { base_url, models } });
    return { loaded, simulator, first_run: false };
  } catch (thrown) {
    await simulator.stop();
    throw thrown;
  }
}

/** Loaded only here: a gateway with real vendors need not hold the simulator's code. */
async function startSimulator() {
  const [{ SIMULATED_MODELS }, server] = await Promise.all([
    import("../../simulator/models.ts"),
    import("../../simulator/server.ts"),
  ]);
  return { simulator: await server.startSimulator(), models: SIMULATED_MODELS };
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (thrown) {
    const reason = thrown instanceof Error && "code" in thrown ? String(thrown.code) : "unknown reason";
    throw new SettingsError(`The configuration file ${path} cannot be read (${reason}).`, { cause: thrown });
  }
}

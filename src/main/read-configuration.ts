import { readFile } from "node:fs/promises";
import { SIMULATED_MODELS } from "../../simulator/models.ts";
import { type Simulator, startSimulator } from "../../simulator/server.ts";
import { asksForSimulator, loadConfiguration } from "../catalog/load-configuration.ts";
import { simulatorConfiguration } from "../catalog/simulated-vendor.ts";
import type { Configuration } from "../core/catalog.ts";
import { type Environment, type Settings, SettingsError } from "./settings.ts";

export interface ReadConfiguration {
  readonly configuration: Configuration;
  /** The built-in simulator, where it is part of the catalogue. */
  readonly simulator: Simulator | null;
  /** Whether nothing is configured, so that the simulator is all there is (the first run). */
  readonly first_run: boolean;
}

/**
 * Reads the configuration and starts the built-in simulator where it is asked for: by a file that names the vendor `sim`,
 * or by nothing being configured at all. Throws a ConfigurationError that lists every problem, or a SettingsError.
 */
export async function readConfiguration(
  settings: Pick<Settings, "config_file">,
  env: Environment,
): Promise<ReadConfiguration> {
  const { config_file } = settings;
  const file_text = config_file === null ? null : await readText(config_file);
  const input = { file_text, file_name: config_file ?? "camino.yaml", env };
  // It is started before the file is read, which needs its address.
  if (file_text !== null && asksForSimulator(file_text)) return await withSimulator(input);
  const configuration = loadConfiguration(input);
  if (configuration.models.size > 0) return { configuration, simulator: null, first_run: false };
  const simulator = await startSimulator();
  const simulated = simulatorConfiguration({ base_url: simulator.base_url, models: SIMULATED_MODELS });
  return { configuration: { ...simulated, limits: configuration.limits }, simulator, first_run: true };
}

async function withSimulator(input: Parameters<typeof loadConfiguration>[0]): Promise<ReadConfiguration> {
  const simulator = await startSimulator();
  try {
    const { base_url } = simulator;
    const configuration = loadConfiguration({ ...input, simulator: { base_url, models: SIMULATED_MODELS } });
    return { configuration, simulator, first_run: false };
  } catch (thrown) {
    await simulator.stop();
    throw thrown;
  }
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (thrown) {
    const reason = thrown instanceof Error && "code" in thrown ? String(thrown.code) : "unknown reason";
    throw new SettingsError(`The configuration file ${path} cannot be read (${reason}).`, { cause: thrown });
  }
}

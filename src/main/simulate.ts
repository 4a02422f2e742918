import { startSimulator } from "../../simulator/server.ts";
import type { CliDeps, SimulateOptions } from "../cli/shared/deps.ts";
import { SettingsError } from "./settings/settings.ts";

const ANY_FREE_PORT = "0";

/** Runs the simulated vendor until it is told to stop. */
export async function simulate(options: SimulateOptions, output: Pick<CliDeps, "stdout" | "stderr">): Promise<void> {
  const port = Number(options.port ?? ANY_FREE_PORT);
  if (!Number.isInteger(port) || port < 0 || port > 65535) {
    throw new SettingsError(`The port is ${JSON.stringify(options.port)}; allowed: a whole number from 0 to 65535.`);
  }
  const simulator = await startSimulator({ host: options.host ?? "127.0.0.1", port });
  const { url, base_url } = simulator;
  if (options.json) output.stdout(`${JSON.stringify({ url, base_url, port: simulator.port })}\n`);
  else output.stderr(`The simulator listens on ${url}: base_url ${base_url}, any credential, every protocol.\n`);
  const stopped = Promise.withResolvers<void>();
  process.on("SIGTERM", () => stopped.resolve());
  process.on("SIGINT", () => stopped.resolve());
  await stopped.promise;
  await simulator.stop();
}

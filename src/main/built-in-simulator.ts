import type { Simulator } from "../../simulator/server.ts";
import type { Simulator as SimulatedVendor } from "../catalog/vendors/simulated-vendor.ts";

/** The simulator of this process: it starts when a configuration first needs it, and runs until the gateway ends. */
export class BuiltInSimulator {
  #simulator: Simulator | null = null;

  /** Its address and models. Its code is loaded only here: a gateway with real vendors need not hold it. */
  async start(): Promise<SimulatedVendor> {
    const [{ SIMULATED_MODELS }, server] = await Promise.all([
      import("../../simulator/models.ts"),
      import("../../simulator/server.ts"),
    ]);
    this.#simulator ??= await server.startSimulator();
    return { base_url: this.#simulator.base_url, models: SIMULATED_MODELS };
  }

  async stop(): Promise<void> {
    await this.#simulator?.stop();
  }
}

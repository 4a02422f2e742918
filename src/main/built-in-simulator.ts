import type { Simulator } from "../../simulator/server.ts";
import type { Simulator as SimulatedVendor } from "../catalog/bundled/simulated-vendor.ts";

/** The simulator of this process: it starts when a configuration first needs it, and runs until the gateway ends. */
export class BuiltInSimulator {
  #simulator: Simulator | null = null;
  #demo: boolean;

  /** `demo`: whether there is a demo key of a first run, for which the simulator runs beside other vendors. */
  constructor(demo = false) {
    this.#demo = demo;
  }

  /** Whether a demo key is out that the simulator answers. */
  get hasDemo(): boolean {
    return this.#demo;
  }

  /** Notes that a first run gives a demo key out, which goes on when other vendors come. */
  keepForDemo(): void {
    this.#demo = true;
  }

  /** Its address and models. Its code is loaded only here: a gateway with real vendors need not hold it. */
  async start(): Promise<SimulatedVendor> {
    const [{ SIMULATED_MODELS }, server] = await Promise.all([
      import("../../simulator/models.ts"),
      import("../../simulator/server.ts"),
    ]);
    this.#simulator ??= await server.startSimulator();
    return { base_url: this.#simulator.base_url, models: SIMULATED_MODELS };
  }

  /** Whether it is at this address, which no proxy of the environment would lead to (docs/rulings.md 129). */
  isAt({ host }: URL): boolean {
    return this.#simulator !== null && new URL(this.#simulator.base_url).host === host;
  }

  async stop(): Promise<void> {
    await this.#simulator?.stop();
  }
}

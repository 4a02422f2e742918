import { join } from "node:path";
import { type Gateway, type GatewayOptions, startGateway } from "../support/gateway.ts";
import type { Death } from "./history.ts";

const START_PATIENCE_MS = 40_000;

/** A gateway process of the torture, which may be killed, paused and started again. */
export class Node {
  readonly index: number;
  readonly #options: GatewayOptions;
  #gateway: Gateway;
  #running = true;
  #paused = false;
  #starting: Promise<void> | null = null;
  /** Ends by SIGKILL, or by themselves. */
  deaths: readonly Death[] = [];
  /** Ends that nobody asked for, as sentences. */
  readonly collapses: string[] = [];
  /** Whether the gateway refused to start because charges are gone, and was told to go on without them. */
  told_loss = false;
  /** The logs of processes that have ended since the last `forget`. */
  #old_logs = "";

  private constructor(index: number, options: GatewayOptions, gateway: Gateway) {
    this.index = index;
    this.#options = options;
    this.#gateway = gateway;
    this.#watch(gateway);
  }

  static async start(index: number, options: GatewayOptions): Promise<Node> {
    return new Node(index, options, await startGateway(options));
  }

  get gateway(): Gateway {
    return this.#gateway;
  }

  get running(): boolean {
    return this.#running;
  }

  get log(): string {
    return this.#old_logs + this.#gateway.log();
  }

  /** Forgets what is only of interest for one round. */
  forget(): void {
    this.deaths = [];
    this.collapses.length = 0;
    this.told_loss = false;
    this.#old_logs = "";
  }

  async kill(): Promise<void> {
    if (!this.#running) return;
    this.#running = false;
    this.#die();
    this.#gateway.signal("SIGKILL");
    await this.#gateway.exited;
  }

  pause(): void {
    if (!this.#running || this.#paused) return;
    this.#paused = true;
    this.#gateway.signal("SIGSTOP");
  }

  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#gateway.signal("SIGCONT");
  }

  /** Ends the process in good order. Resolves with its exit code. */
  async stop(): Promise<number | null> {
    this.#running = false;
    return this.#gateway.stop();
  }

  /** Starts the process again, if it does not run: as often as it takes while what it needs is not there yet. */
  ensureRunning(): Promise<void> {
    if (this.#running) return Promise.resolve();
    this.#starting ??= this.#start().finally(() => {
      this.#starting = null;
    });
    return this.#starting;
  }

  async #start(): Promise<void> {
    this.#old_logs += this.#gateway.log();
    const end_ms = performance.now() + START_PATIENCE_MS;
    for (;;) {
      try {
        this.#gateway = await startGateway(this.#options);
        break;
      } catch (thrown) {
        this.#old_logs += `\n${thrown instanceof Error ? thrown.message : "it did not start"}\n`;
        if (performance.now() > end_ms) throw thrown;
        if (/accept-loss/.test(this.#old_logs) && !this.told_loss) await this.#acceptLoss();
        else await Bun.sleep(250);
      }
    }
    this.#running = true;
    const until_ms = performance.now();
    this.deaths = this.deaths.map((death) => ({ ...death, until_ms: Math.min(death.until_ms, until_ms) }));
    this.#watch(this.#gateway);
  }

  async #acceptLoss(): Promise<void> {
    this.told_loss = true;
    const command = [join(import.meta.dir, "../..", "bin/camino"), "accept-loss", "--data", this.#options.data ?? ""];
    const { PATH = "" } = process.env;
    const child = Bun.spawn(command, { env: { PATH, ...this.#options.env }, stdout: "pipe", stderr: "pipe" });
    this.#old_logs += (await child.stdout.text()) + (await child.stderr.text());
  }

  #die(): void {
    const from_ms = performance.now();
    this.deaths = [...this.deaths, { node: this.index, from_ms, until_ms: Number.POSITIVE_INFINITY }];
  }

  #watch(gateway: Gateway): void {
    void gateway.exited.then((status) => {
      if (!this.#running || gateway !== this.#gateway) return;
      this.#running = false;
      this.#die();
      this.collapses.push(`node ${this.index} ended by itself with ${status}: ${gateway.log().slice(-600)}`);
    });
  }
}

import type { OperationsSettings } from "../core/catalog/operations-settings.ts";
import { type StartingParts, startStartingServer } from "../http/starting-server.ts";
import type { Log } from "../observe/log.ts";
import type { Settings } from "./settings/settings.ts";
import type { WorkerLink } from "./workers/worker-link.ts";

interface MeanwhileParts extends StartingParts {
  readonly settings: Pick<Settings, "host" | "port">;
  readonly operations: OperationsSettings;
  readonly link: WorkerLink | null;
  readonly log: Log;
  /** Ends the process at once. */
  readonly exit: () => void;
}

/**
 * Listens, from the first call of `begin` until `end`, where the gateway will serve: health says that the process lives, readiness why it does
 * not serve yet. Of several processes the first one does it. A port that the system chooses is known to nobody yet.
 */
export class Meanwhile {
  readonly #parts: MeanwhileParts;
  readonly #servers: { cut(): void }[] = [];
  #has_begun = false;
  #has_ended = false;

  constructor(parts: MeanwhileParts, opened: AsyncDisposableStack) {
    this.#parts = parts;
    opened.defer(() => this.end());
  }

  begin(): void {
    const { settings, operations, link, log } = this.#parts;
    if (this.#has_begun) return;
    this.#has_begun = true;
    // A process of several handles its signals, and would wait for as long as the migration does.
    void link?.stopped.then(() => this.#has_ended || this.#parts.exit());
    if (link?.assignment.is_first === false) return;
    const places = [
      { hostname: settings.host, port: settings.port },
      { hostname: operations.host ?? settings.host, port: operations.port ?? 0 },
    ];
    for (const place of places.filter(({ port }) => port !== 0)) {
      try {
        this.#servers.push(startStartingServer(this.#parts, place));
      } catch (thrown) {
        log.warn({ err: thrown }, "health and readiness are not answered before the gateway serves");
      }
    }
  }

  end(): void {
    this.#has_ended = true;
    for (const server of this.#servers.splice(0)) server.cut();
  }
}

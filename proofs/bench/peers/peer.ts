import type { Install } from "../../clients/install.ts";
import type { Place } from "../drive.ts";
import type { Program } from "../programs.ts";

/** Another gateway that runs beside Camino. */
export interface Peer {
  readonly id: string;
  /** Its packages with their exact versions. */
  readonly install: Install;
  /** What it does behind a call, for the table's reader. */
  readonly does: string;
  /** Whether it takes the messages style too, and translates it for the bench's vendor. */
  readonly translates: boolean;
  /** The part of the amounts of calls that it gets, so that a round lasts about as long as the others'. */
  readonly share: number;
  /** Starts it and resolves when it answers; its program has ended when this rejects. */
  readonly start: (world: PeerWorld) => Promise<StartedPeer>;
}

export interface PeerWorld {
  /** The path of one of the installed programs. */
  readonly bin: (name: string) => string;
  /** Where the packages are. */
  readonly installed: string;
  readonly vendor_url: string;
  /** For its configuration, data and logs. */
  readonly folder: string;
}

export interface StartedPeer extends Place {
  readonly program: Program;
}

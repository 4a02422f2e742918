/**
 * The subjects of messages between the processes of one gateway: reads of a key (`LIMIT KEY_ID`), changed keys, a configuration that is to be read again, wrong and right tokens and refused
 * sign-ins by network.
 */
export type Subject =
  | "reads"
  | "changed key"
  | "configuration"
  | "wrong admin token"
  | "right admin token"
  | "wrong operations token"
  | "right operations token"
  | "refused sign-in";

/**
 * The other processes of a gateway that runs as several on one machine (docs/adr/0036-workers.md). Counts that are in no database are
 * kept in each process and sent to the others: else a limit would be multiplied by the number of processes.
 */
export interface Neighbours {
  /** How many processes serve, this one included. */
  readonly processes: number;
  /** Sends a message to the others, within a few hundredths of a second. */
  tell(subject: Subject, name: string): void;
  /** `take` is called with the messages of the others: a name, and how often it was sent. */
  hear(subject: Subject, take: (name: string, count: number) => void): void;
}

/** A gateway that is one process. */
export const ALONE: Neighbours = { processes: 1, tell: () => {}, hear: () => {} };

/** One subject of the neighbours, for who counts by names. */
export interface Shared {
  tell(name: string): void;
  hear(take: (name: string, count: number) => void): void;
}

export function sharedAs(neighbours: Neighbours, subject: Subject): Shared {
  return { tell: (name) => neighbours.tell(subject, name), hear: (take) => neighbours.hear(subject, take) };
}

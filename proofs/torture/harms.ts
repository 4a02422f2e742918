/**
 * The harms that a round may do. Which of them are possible depends on the database and on the machine
 * (`possibleHarms`).
 */
export const HARM_KINDS = [
  /** SIGKILL to a node. */
  "kill",
  /** SIGSTOP to a node, later SIGCONT. */
  "pause",
  /** As pause, and longer than the silence after which other nodes take a node for dead. */
  "long pause",
  /** SIGKILL to a node, and its write-ahead log is cut, changed or removed before it starts again. */
  "damaged log",
  /** SQLite's file is locked by another process, as if its disk stood still. */
  "locked database",
  /** The file system with the database is full. */
  "full disk",
  /** The clock of the nodes, and with SQLite of the database, jumps by an hour, and later back. */
  "clock forwards",
  "clock backwards",
  /** The same for the clock of PostgreSQL alone. */
  "database clock forwards",
  "database clock backwards",
  /** The connections to PostgreSQL: cut, and new ones refused; or held without a word. */
  "refused connections",
  "stalled connections",
  /** As stalled connections, and longer than the silence after which nodes take each other for dead. */
  "long outage",
  /** A connection is cut amid its COMMIT: before the server got it, or before the node heard of it. */
  "lost commit",
  "lost answer to a commit",
  /** The connections to one cell of several are cut or held, for longer than it is waited for before it counts as away. */
  "cell away",
  /** An account is moved to another cell, by a command that is killed at times before its end, and run again at rest. */
  "move",
  /** PostgreSQL restarts: in good order, or at once as after a crash. */
  "database restart",
  "database crash",
] as const;

export type HarmKind = (typeof HARM_KINDS)[number];

/** A harm of a round's plan. Times are milliseconds from the round's start. */
export interface PlannedHarm {
  readonly kind: HarmKind;
  /** The position of the node that it is done to, where it is done to one. */
  readonly node: number;
  readonly at_ms: number;
  /** How long it lasts; 0 for what happens in a moment. */
  readonly for_ms: number;
  /** From 0 to below 1: what a harm chooses by that has a choice. */
  readonly choice: number;
}

/** `cells`: a directory and two cells, databases of one PostgreSQL. */
export type DatabaseKind = "sqlite" | "postgres" | "cells";

/** What the world allows. */
export interface Facts {
  readonly database: DatabaseKind;
  readonly nodes: number;
  /** Whether clocks can be moved: libfaketime is there. */
  readonly clock: boolean;
  /** Whether a small file system can be made for the database. */
  readonly small_disk: boolean;
  /** The only harms that are done; null: all that are possible. */
  readonly only: readonly HarmKind[] | null;
}

interface Choice {
  readonly kind: HarmKind;
  /** What the harm moves: two harms to one thing would undo each other, so a round has one of them. */
  readonly moves: string;
  readonly weight: number;
  readonly shortest_ms: number;
  readonly longest_ms: number;
}

const MOVES: Readonly<Partial<Record<HarmKind, string>>> = {
  pause: "process",
  "long pause": "process",
  "clock forwards": "clock",
  "clock backwards": "clock",
  "database clock forwards": "database clock",
  "database clock backwards": "database clock",
  "refused connections": "connections",
  "stalled connections": "connections",
  "long outage": "connections",
  "lost commit": "connections",
  "lost answer to a commit": "connections",
  "cell away": "connections",
  "database restart": "server",
  "database crash": "server",
};

function choice(kind: HarmKind, weight: number, shortest_ms = 0, longest_ms = shortest_ms): Choice {
  return { kind, moves: MOVES[kind] ?? kind, weight, shortest_ms, longest_ms };
}

/** The harms that may be done in such a world, with their weights and durations. */
export function possibleHarms(facts: Facts): Choice[] {
  return harmsOf(facts).filter(({ kind }) => facts.only === null || facts.only.includes(kind));
}

function harmsOf({ database, clock, small_disk }: Facts): Choice[] {
  const clocks = clock ? [choice("clock forwards", 2, 300, 1500), choice("clock backwards", 2, 300, 1500)] : [];
  const disk = small_disk ? [choice("full disk", 2, 100, 1500)] : [];
  const both = [choice("kill", 8), choice("pause", 3, 50, 1500), ...clocks, ...disk];
  if (database === "sqlite")
    return [
      ...both,
      choice("locked database", 4, 30, 1500),
      choice("damaged log", 2),
      choice("long pause", 0.4, 16_000, 18_000),
    ];
  const database_clocks = clock
    ? [choice("database clock forwards", 1, 300, 1500), choice("database clock backwards", 1, 300, 1500)]
    : [];
  const cells = database === "cells" ? [choice("cell away", 6, 3000, 9000), choice("move", 6, 300, 3000)] : [];
  return [
    ...both,
    ...database_clocks,
    ...cells,
    choice("long pause", 0.6, 16_000, 22_000),
    choice("refused connections", 3, 100, 2500),
    choice("stalled connections", 3, 100, 2500),
    choice("long outage", 0.6, 16_000, 25_000),
    choice("lost commit", 3, 50, 400),
    choice("lost answer to a commit", 3, 50, 400),
    choice("database restart", 2, 50, 500),
    choice("database crash", 2, 50, 500),
  ];
}

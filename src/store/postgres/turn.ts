import type { Deadline } from "./deadline.ts";

/** How far a work has come, and whether it still may go on. */
export interface Turn {
  commit_sent: boolean;
  over: boolean;
  readonly deadline: Deadline;
}

/** Throws where a work was given up: it must not be committed when its server wakes up. */
export function requireTime(turn: Turn): void {
  if (turn.over) throw givenUp();
  turn.deadline.require();
}

export function givenUp(): Error {
  return new Error("the work was given up");
}

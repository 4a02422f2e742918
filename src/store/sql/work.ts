import type { SetStatement, Statement, Value } from "./statement.ts";

/**
 * A task on a database, written once for both drivers: a generator that yields steps and is sent their rows. SQLite runs a
 * work straight through; PostgreSQL awaits each yield and sends the steps of one yield together, so those steps must not
 * depend on each other's rows. A driver runs one work in one transaction.
 */
export type Work<Result> = Generator<Steps, Result, readonly (readonly unknown[])[]>;

/** The steps of one yield. `is_last`: nothing follows them in their transaction, so a driver may commit it together with them. */
type Steps = readonly Step[] & { readonly is_last?: true };

/** Marks steps as the last ones of their transaction. A work that yields others afterwards is a mistake. */
export function lastly(steps: readonly Step[]): Steps {
  return Object.assign([...steps], { is_last: true as const });
}

export type Step = SingleStep | SetStep;

interface SingleStep {
  readonly statement: Statement;
  readonly params: readonly Value[];
}

/** A statement and its rows of parameters. */
export interface SetStep {
  readonly statement: SetStatement;
  readonly params: readonly (readonly Value[])[];
}

export function isSet(step: Step): step is SetStep {
  return step.statement.set !== null;
}

/** Collects the rows of set statements; a statement without rows is no step. */
export type AddStep = (statement: SetStatement, params: readonly (readonly Value[])[]) => void;

/** Runs one statement and returns its rows. The caller names their type. */
export function* rows<Row>(statement: Statement, params: Step["params"] = []): Work<readonly Row[]> {
  const [found = []] = yield [step(statement, params)];
  return found as readonly Row[];
}

type StepOf<Row> = Step & { readonly row?: Row };

/** A statement with its parameters, which must be of its kind. The caller names the type of its rows. */
export function step<Row>(statement: Statement, params: Step["params"] = []): StepOf<Row> {
  return { statement, params } as Step;
}

/** The rows of several statements, of which none depends on another's: PostgreSQL runs them in one round trip. */
export function* together<Steps extends readonly StepOf<unknown>[]>(
  ...steps: Steps
): Work<{ readonly [At in keyof Steps]: Steps[At] extends StepOf<infer Row> ? readonly Row[] : never }> {
  const found = yield steps;
  return found as { readonly [At in keyof Steps]: Steps[At] extends StepOf<infer Row> ? readonly Row[] : never };
}

/** The first row of a statement, or null. */
export function* row<Row>(statement: Statement, params: Step["params"] = []): Work<Row | null> {
  const [first] = yield* rows<Row>(statement, params);
  return first ?? null;
}

/** Runs a work on a driver whose statements return at once. */
export function runNow<Result>(work: Work<Result>, execute: (step: Step) => readonly unknown[]): Result {
  let asked = work.next();
  while (asked.done !== true) asked = work.next(asked.value.map(execute));
  return asked.value;
}

/** Runs a work on a driver whose statements take time; the steps of one yield are on their way together. */
export async function runAwaited<Result>(
  work: Work<Result>,
  execute: (step: Step) => Promise<readonly unknown[]>,
): Promise<Result> {
  let asked = work.next();
  while (asked.done !== true) asked = work.next(await Promise.all(asked.value.map(execute)));
  return asked.value;
}

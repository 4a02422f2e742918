import { portOf } from "../sql/port.ts";
import type { Cell, Cells } from "./cells.ts";

/**
 * Which cells a method of a port is asked of: of the cell of the account that its arguments name, of every cell, or of the one that knows something. A
 * port of all cells is a table with a route for each of its methods.
 */

type PortMethod = (...args: never[]) => Promise<unknown>;
export type Result<M extends PortMethod> = M extends (...args: never[]) => Promise<infer Of> ? Of : never;

export interface Asking<M extends PortMethod> {
  readonly cells: Cells;
  /** Asks one cell. Throws or rejects with a StoreUnavailable where it is away. */
  readonly ask: (cell: Cell, ...args: Parameters<M>) => Promise<Result<M>>;
}

export type CellRoute<M extends PortMethod> = (on: Asking<M>, ...args: Parameters<M>) => Promise<Result<M>>;
export type CellRoutes<Port> = {
  readonly [Name in keyof Port]: Port[Name] extends PortMethod ? CellRoute<Port[Name]> : never;
};

/** The methods of a port that have routes, asked where these say. `ofCell`: the port of one cell. */
export function inCells<Port extends object, Of extends Partial<CellRoutes<Port>>>(
  cells: Cells,
  routes: Of,
  ofCell: (cell: Cell) => Port,
): Pick<Port, keyof Of & keyof Port> {
  type Name = keyof Of & keyof Port;
  return portOf<Pick<Port, Name>>(routes as Record<Name, unknown>, (name, args) => {
    const route = routes[name] as CellRoute<(...given: readonly unknown[]) => Promise<unknown>>;
    const ask = (cell: Cell, ...given: readonly unknown[]): Promise<unknown> =>
      (ofCell(cell)[name] as (...given: readonly unknown[]) => Promise<unknown>)(...given);
    return route({ cells, ask }, ...args);
  });
}

/** Asks the cell of an account. */
export function home<M extends PortMethod>(accountOf: (...args: Parameters<M>) => string): CellRoute<M> {
  return ({ cells, ask }, ...args) => cells.homeOf(accountOf(...args)).then<Result<M>>((cell) => ask(cell, ...args));
}

/** Asks the cell of an account, or by another route where no account is named. */
export function homeOr<M extends PortMethod>(
  accountOf: (...args: Parameters<M>) => string | null | undefined,
  otherwise: CellRoute<M>,
): CellRoute<M> {
  return (on, ...args) => {
    const account_id = accountOf(...args) ?? null;
    return account_id === null ? otherwise(on, ...args) : home<M>(() => account_id)(on, ...args);
  };
}

/** Asks the cell that is found by the arguments. */
export function found<M extends PortMethod>(
  cellOf: (cells: Cells, ...args: Parameters<M>) => Cell | Promise<Cell>,
): CellRoute<M> {
  return async ({ cells, ask }, ...args) => ask(await cellOf(cells, ...args), ...args);
}

export function directory<M extends PortMethod>(): CellRoute<M> {
  return ({ cells, ask }, ...args) => ask(cells.directory, ...args);
}

/** Asks every cell the same, and makes one of their parts. Rejects where one is away (docs/rulings.md 242). */
export function all<M extends PortMethod>(
  merge: (parts: Result<M>[], ...args: Parameters<M>) => Result<M>,
): CellRoute<M> {
  return ({ cells, ask }, ...args) =>
    cells.each((cell) => ask(cell, ...args)).then<Result<M>>((parts) => merge(parts, ...args));
}

/** The same without the cells that are away. */
export function present<M extends PortMethod>(merge: (parts: Result<M>[]) => Result<M>): CellRoute<M> {
  return ({ cells, ask }, ...args) =>
    cells.present((cell) => ask(cell, ...args)).then<Result<M>>((parts) => merge(parts.map(({ result }) => result)));
}

/** What the first cell says that knows something; null where none does. */
export function first<M extends PortMethod>(): CellRoute<M> {
  return ({ cells, ask }, ...args) =>
    cells
      .first<NonNullable<Result<M>>>((cell) => ask(cell, ...args) as Promise<NonNullable<Result<M>> | null>)
      .then((known) => (known?.found ?? null) as Result<M>);
}

/**
 * Writes rows where their accounts live: those of each cell whatever becomes of the others. Rejects where some could not be written, unless such rows
 * may be lost.
 */
export async function apart<Row extends { readonly account_id: string }>(
  cells: Cells,
  rows: readonly Row[],
  write: (cell: Cell, own: readonly Row[]) => Promise<void>,
  { may_lose = false }: { readonly may_lose?: boolean } = {},
): Promise<void> {
  const by_cell = await byHome(cells, rows, named);
  const written = await Promise.allSettled(Array.from(by_cell, async ([cell, own]) => await write(cell, own)));
  for (const each of written) if (each.status === "rejected" && !may_lose) throw each.reason;
}

/** Rows by the cells where their accounts live. */
export async function byHome<Row>(
  cells: Cells,
  rows: readonly Row[],
  accountOf: (row: Row) => string,
): Promise<Map<Cell, Row[]>> {
  const homes = await Promise.all(rows.map((row) => cells.homeOf(accountOf(row))));
  return Map.groupBy(rows, (_, at) => homes[at] ?? cells.directory);
}

export function named({ account_id }: { readonly account_id: string }): string {
  return account_id;
}

export function sum(parts: readonly number[]): number {
  return parts.reduce((all_of_them, part) => all_of_them + part, 0);
}

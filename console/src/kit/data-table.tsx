import { type KeyboardEvent, type MouseEvent, type ReactNode, type RefObject, useRef, useState } from "react";
import { Button } from "./button.tsx";
import { cx } from "./cx.ts";
import type { TableFile } from "./file-of-pages.ts";
import { formatCount } from "./format.ts";
import { Icon } from "./icon.tsx";
import { Scrollable } from "./scrollable.tsx";
import { nextSort, type Sort, type SortValue, sortRows, useSort } from "./sort.ts";
import { csvOfTable, saveFile } from "./table-file.ts";
import { toastError } from "./toast.tsx";

export interface Column<Row> {
  readonly key: string;
  readonly header: string;
  /** `scale`: what the column's `scale` made of its rows. */
  readonly cell: (row: Row, scale: number) => ReactNode;
  /** How the figures of all rows are written alike: see figure-columns.tsx. */
  readonly scale?: (rows: readonly Row[]) => number;
  /** The value to compare rows by; makes the column sortable. */
  readonly sortBy?: (row: Row) => SortValue;
  /** The column has numbers: aligned right, sorted from the largest. */
  readonly numeric?: boolean;
  /** The column names the row for screen readers and has the row's link; set for one column only. */
  readonly heading?: boolean;
  /** Left out where the table does not fit with it, and on a phone. */
  readonly wide_only?: boolean;
  /** The header is only for screen readers: for a column of buttons. */
  readonly hide_header?: boolean;
  /** The column has something to press in place of a value, and is in no file. So are those whose header is hidden. */
  readonly control?: boolean;
  readonly className?: string;
}

/** The last column, of what can be done with a row. */
export function actionsColumn<Row>(cell: (row: Row) => ReactNode): Column<Row> {
  return { key: "actions", header: "Actions", hide_header: true, numeric: true, cell };
}

interface DataTableProps<Row> {
  /** What the table lists, for screen readers. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  /** The file of its rows. Null: the server makes one (DownloadLink), or the rows are the beginning of a list that has one. */
  readonly file: TableFile | null;
  /** The name of the address's field that keeps the sort. */
  readonly sort_param?: string;
  /** The sort until the user chooses another, such as "-cost". Default: the order of `rows`. */
  readonly initial_sort?: string;
  /** How many rows of a long list to show until the user asks for all. */
  readonly first_rows?: number;
  /** Below the rows: a Pagination, totals. */
  readonly footer?: ReactNode;
}

/** The columns, without sorting where more rows may follow: the largest of the rows that are loaded need not be the largest of the list. */
export function columnsOf<Row>(columns: readonly Column<Row>[], is_whole: boolean): readonly Column<Row>[] {
  return is_whole ? columns : columns.map(({ sortBy: _sortBy, ...column }) => column);
}

/**
 * A table: sortable by the heads of its columns, cards on a phone and wherever it does not fit, arrow keys from row to row. A `RowLink` in the
 * heading column makes the whole row a link.
 */
export function DataTable<Row>({
  caption,
  columns,
  rows,
  rowKey,
  sort_param,
  initial_sort,
  first_rows,
  footer,
  file,
}: DataTableProps<Row>) {
  const table = useRef<HTMLTableElement>(null);
  const [sort, setSort] = useSort(sort_param, initial_sort);
  const sortBy = columns.find(({ key }) => key === sort?.key)?.sortBy;
  const [all, setAll] = useState(false);
  const ordered = sort !== null && sortBy !== undefined ? sortRows(rows, sortBy, sort.descending) : rows;
  const shown = all ? ordered : ordered.slice(0, first_rows);
  const scaled = columns.map((column) => ({ column, scale: column.scale?.(rows) ?? 0 }));
  return (
    <div className="min-w-0">
      <Scrollable fits label={caption} className="overflow-x-auto rounded-xl -outline-offset-2">
        <table
          ref={table}
          className="table-cards w-full border-collapse text-left"
          onKeyDown={moveBetweenRows}
          onClick={followRow}
        >
          <caption className="sr-only">{caption}</caption>
          <thead className="text-[0.83rem] text-ink-soft">
            <tr>
              {columns.map((column) => (
                <Head key={column.key} column={column} sort={sort} onSort={setSort} />
              ))}
            </tr>
          </thead>
          <tbody className="divide-y divide-line">
            {shown.map((row) => (
              <tr key={rowKey(row)} className="relative transition-colors hover:bg-canvas">
                {scaled.map(({ column, scale }) => (
                  <Cell key={column.key} column={column} row={row} scale={scale} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scrollable>
      {shown.length < rows.length && (
        <RestOfRows shown={shown.length} all={rows.length} onShowAll={() => setAll(true)} />
      )}
      {file === null || rows.length === 0 ? (
        footer
      ) : (
        <div className="flex items-stretch">
          {footer && <div className="min-w-0 flex-1">{footer}</div>}
          <SaveRows of={{ table, columns, file }} onSave={() => setAll(true)} />
        </div>
      )}
    </div>
  );
}

interface Saved<Row> {
  readonly table: RefObject<HTMLTableElement | null>;
  readonly columns: readonly Column<Row>[];
  readonly file: TableFile;
}

/** Keeps a table's rows as a file, those too that it did not show so far. */
function SaveRows<Row>({ of: { table, columns, file }, onSave }: { of: Saved<Row>; onSave: () => void }) {
  const [busy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    try {
      onSave();
      await file.complete?.();
      await drawn();
      const names = columns.map(({ header, hide_header, control }) => (hide_header || control ? null : header));
      if (table.current !== null) saveFile(file.name, csvOfTable(table.current, names));
    } catch (thrown) {
      toastError(thrown);
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className="flex items-center justify-end border-t border-line px-3 py-1.5 first:flex-1">
      <Button size="small" kind="quiet" icon="download" busy={busy} onClick={() => void save()}>
        Download CSV
      </Button>
    </div>
  );
}

/** Two frames: what was set is in the page then. */
function drawn(): Promise<void> {
  return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())));
}

function RestOfRows({ shown, all, onShowAll }: { shown: number; all: number; onShowAll: () => void }) {
  return (
    <div className="flex items-center justify-between gap-4 border-t border-line px-5 py-3 text-[0.88rem] text-ink-soft">
      <span>
        {formatCount(shown)} of {formatCount(all)} rows
      </span>
      <Button size="small" onClick={onShowAll}>
        Show all
      </Button>
    </div>
  );
}

function Head<Row>({
  column,
  sort,
  onSort,
}: {
  column: Column<Row>;
  sort: Sort | null;
  onSort: (sort: Sort | null) => void;
}) {
  const { key, header, numeric = false, sortBy, hide_header, wide_only, className } = column;
  const current = sort?.key === key ? sort : null;
  const order = current === null ? undefined : current.descending ? "descending" : "ascending";
  return (
    <th
      scope="col"
      data-wide={wide_only ? "" : undefined}
      aria-sort={order}
      className={cx(
        "px-3 py-1.5 font-medium whitespace-nowrap first:pl-5 last:pr-5",
        numeric && "text-right",
        className,
      )}
    >
      {sortBy === undefined ? (
        <span className={hide_header ? "sr-only" : ""}>{header}</span>
      ) : (
        <button
          type="button"
          onClick={() => onSort(nextSort(current, key, numeric))}
          className={cx(
            "-mx-1 inline-flex items-center gap-1 align-middle rounded-md px-1 hover:text-ink",
            numeric && "flex-row-reverse",
            current && "text-ink",
          )}
        >
          {header}
          <Icon
            name={order === undefined ? "chevron-up-down" : order === "descending" ? "arrow-down" : "arrow-up"}
            className="size-3.5"
          />
        </button>
      )}
    </th>
  );
}

function Cell<Row>({ column, row, scale }: { column: Column<Row>; row: Row; scale: number }) {
  const face = cx(
    "px-3 py-1.5 align-middle first:pl-5 last:pr-5",
    column.numeric && "text-right tabular-nums",
    column.className,
  );
  if (column.heading)
    return (
      <th scope="row" className={cx(face, "min-w-36 font-medium [overflow-wrap:anywhere]")}>
        {column.cell(row, scale)}
      </th>
    );
  return (
    <td
      className={face}
      data-label={column.hide_header ? "" : column.header}
      data-wide={column.wide_only ? "" : undefined}
    >
      {column.cell(row, scale)}
    </td>
  );
}

/** Follows the row's link also when the press is on a value that lies above the link to show its hint. */
function followRow(event: MouseEvent<HTMLTableElement>): void {
  if (!(event.target instanceof HTMLElement) || event.defaultPrevented) return;
  const value = event.target.closest("[data-hint]");
  if (value === null || event.target.closest("a, button, input, select, label") !== null) return;
  const link = value.closest("tbody tr")?.querySelector("[data-row-link]");
  link?.dispatchEvent(new window.MouseEvent("click", event.nativeEvent));
}

/** Moves the focus from row link to row link with arrow up and down. */
function moveBetweenRows(event: KeyboardEvent<HTMLTableElement>): void {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  if (!(event.target instanceof HTMLElement) || event.target.matches("input, select, textarea")) return;
  const row = event.target.closest("tbody tr");
  const next = event.key === "ArrowDown" ? row?.nextElementSibling : row?.previousElementSibling;
  const link = next?.querySelector<HTMLElement>("[data-row-link]");
  if (!link) return;
  event.preventDefault();
  link.focus();
}

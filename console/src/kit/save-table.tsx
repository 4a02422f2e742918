import type { RefObject } from "react";
import { Button } from "./button.tsx";
import { csvOfTable, saveFile } from "./table-file.ts";

interface SaveTableProps {
  readonly table: RefObject<HTMLTableElement | null>;
  /** The file's name without its ending. */
  readonly name: string;
  readonly columns: readonly string[];
}

/** Keeps the rows of a table as a file, as they stand: for tables that are no DataTable, which has a button of its own. */
export function SaveTable({ table, name, columns }: SaveTableProps) {
  const save = () => {
    if (table.current !== null) saveFile(name, csvOfTable(table.current, columns));
  };
  return (
    <div className="flex justify-end px-3 py-1.5">
      <Button size="small" kind="quiet" icon="download" onClick={save}>
        Download CSV
      </Button>
    </div>
  );
}

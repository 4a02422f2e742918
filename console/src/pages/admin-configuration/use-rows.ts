import { useRef } from "react";

/** A row of a list that is edited. `key` stays the row's, so that its input keeps focus and text when rows before it go. */
interface EditedRow<Row> {
  readonly key: number | undefined;
  readonly row: Row;
  readonly index: number;
  readonly onChange: (next: Row) => void;
  readonly onRemove: () => void;
}

/** The rows of a list to which rows are added at the end, and from which they are removed anywhere. `write` gets the list after each change. */
export function useRows<Row>(rows: readonly Row[], write: (next: readonly Row[]) => void): EditedRow<Row>[] {
  const keys = useRef<number[]>([]);
  const next = useRef(0);
  while (keys.current.length < rows.length) {
    keys.current.push(next.current);
    next.current += 1;
  }
  return rows.map((row, index) => ({
    ...{ key: keys.current[index], row, index },
    onChange: (changed) => write(rows.with(index, changed)),
    onRemove: () => {
      keys.current.splice(index, 1);
      write(rows.toSpliced(index, 1));
    },
  }));
}

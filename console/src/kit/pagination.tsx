import { Button } from "./button.tsx";
import type { Pages } from "./file-of-pages.ts";
import { formatCount } from "./format.ts";

interface ShownPages extends Pages {
  readonly rows: readonly unknown[];
  readonly isFetchingNextPage: boolean;
}

/** The pages of a list that are loaded. */
export interface PagesOf<Row> extends ShownPages {
  readonly rows: readonly Row[];
}

/** The end of a long list: how many rows are shown, and the button for more rows (`more`: its words). `pages` comes from `useApiPages`. */
export function Pagination({ pages, noun, more = "Load older" }: { pages: ShownPages; noun: string; more?: string }) {
  const { rows, hasNextPage, isFetchingNextPage } = pages;
  return (
    <div className="flex items-center justify-between gap-4 border-t border-line px-5 py-3 text-[0.88rem] text-ink-soft">
      <span role="status">
        {formatCount(rows.length)} {noun}
        {hasNextPage ? " so far" : ""}
      </span>
      {hasNextPage && (
        <Button size="small" busy={isFetchingNextPage} onClick={() => pages.fetchNextPage()}>
          {more}
        </Button>
      )}
    </div>
  );
}

/** The button for older rows below a list whose rows nobody counts; nothing at its end. */
export function ShowOlder({ pages }: { pages: ShownPages }) {
  if (!pages.hasNextPage) return null;
  return (
    <div className="border-t border-line p-3 text-center">
      <Button size="small" busy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
        Show older ones
      </Button>
    </div>
  );
}

/** A list of which a part may be loaded (`useApiPages`). */
export interface Pages {
  readonly hasNextPage: boolean;
  readonly fetchNextPage: () => Promise<{ readonly hasNextPage: boolean; readonly error: unknown }>;
}

/** A file that the browser makes of a table's rows. Lists of which the server makes a file have a DownloadLink instead. */
export interface TableFile {
  /** The file's name without its ending: "members". */
  readonly name: string;
  /** Has the table get the rows that it does not have yet. Default: it has all. */
  readonly complete?: () => unknown;
}

/** A list's pages as a file: it reads those that are not loaded yet first. */
export function fileOfPages(name: string, pages: Pages): TableFile {
  return { name, complete: () => loadRest(pages) };
}

async function loadRest({ hasNextPage, fetchNextPage }: Pages): Promise<void> {
  for (let goes_on = hasNextPage; goes_on; ) {
    const { error, hasNextPage: has_more } = await fetchNextPage();
    if (error) throw error;
    goes_on = has_more;
  }
}

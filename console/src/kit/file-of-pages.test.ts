import { expect, test } from "bun:test";
import { fileOfPages } from "./file-of-pages.ts";

/** A list of so many pages, of which the first is loaded. */
function list(pages: number, failing_page = 0) {
  const made = {
    hasNextPage: pages > 1,
    loaded: 1,
    fetchNextPage: () => {
      made.loaded += 1;
      const error = made.loaded === failing_page ? new Error("the gateway is away") : null;
      return Promise.resolve({ hasNextPage: made.loaded < pages, error });
    },
  };
  return made;
}

test("a list's file has the pages that were not loaded, each asked for once", async () => {
  for (const count of [1, 2, 7]) {
    const pages = list(count);
    await fileOfPages("members", pages).complete?.();
    expect(pages.loaded).toBe(count);
  }
});

test("there is no file of a list that could not be read to its end", async () => {
  const pages = list(5, 3);
  await expect(Promise.resolve(fileOfPages("members", pages).complete?.())).rejects.toThrow("the gateway is away");
  expect(pages.loaded).toBe(3);
});

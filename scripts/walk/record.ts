/**
 * Loaded before the gateway (`--preload`): notes which files of `src` run on the serving thread, in the order in which they are
 * entered. `SIGUSR2` writes the files since the last signal to the file of `WALK_FILE`, one a line.
 */
import { renameSync, writeFileSync } from "node:fs";
import { relative } from "node:path";
import { plugin } from "bun";
import { markFunctions } from "./mark-functions.ts";

const SRC = `${process.cwd()}/src/`;
const ENTER = "__entered";

const paths: string[] = [];
const entered = new Set<number>();

// Threads have a global object of their own: what runs in them notes nothing.
if (Bun.isMainThread) {
  Object.defineProperty(globalThis, ENTER, { value: (file: number) => entered.add(file) });
  process.on("SIGUSR2", () => {
    const file = process.env.WALK_FILE ?? "walk.txt";
    writeFileSync(`${file}.new`, [...entered].map((at) => `${paths[at]}\n`).join(""));
    entered.clear();
    renameSync(`${file}.new`, file);
  });
  plugin({
    name: "walk",
    setup(build) {
      // The sources run, never the built form: its modules are joined.
      build.onLoad({ filter: /\/src\/main\/built-gateway\.ts$/ }, () => ({
        contents: 'export const loadServe = () => import("./serve.ts");',
        loader: "ts",
      }));
      build.onLoad({ filter: /\/src\/.*\.ts$/ }, async ({ path }) => {
        const text = await Bun.file(path).text();
        if (!path.startsWith(SRC)) return { contents: text, loader: "ts" };
        paths.push(relative(process.cwd(), path));
        return { contents: markFunctions(text, path, `globalThis.${ENTER}?.(${paths.length - 1})`), loader: "ts" };
      });
    },
  });
}

/**
 * Loaded before everything else (`--preload`): modules of the wire and of the protocols are instrumented as they are loaded, so that
 * the targets learn which inputs reach new behaviour.
 */
import { plugin } from "bun";
import { hit } from "./coverage-map.ts";
import { HOOK, instrument } from "./instrument.ts";

const INSTRUMENTED = /\/src\/(wire|protocols|http\/form-parts)\b.*\.ts$/;

let modules = 0;

Object.defineProperty(globalThis, HOOK, { value: hit });
plugin({
  name: "coverage",
  setup(build) {
    build.onLoad({ filter: INSTRUMENTED }, async ({ path }) => {
      modules += 1;
      return { contents: instrument(await Bun.file(path).text(), path, modules), loader: "ts" };
    });
  },
});

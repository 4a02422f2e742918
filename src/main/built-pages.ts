import { join } from "node:path";
import { type ConsolePages, consolePages } from "../http/console-pages.ts";
import { guidePages, isBuilt, isGuide } from "../http/guide-pages.ts";
import { IS_BINARY } from "./one-binary.ts";

/** The folder into which `npm run build:console` writes the console. */
const CONSOLE_FOLDER = join(import.meta.dir, IS_BINARY ? "console" : "../../console/dist");
/** The folder into which `npm run build:site` writes the documents. */
const GUIDE_FOLDER = join(import.meta.dir, IS_BINARY ? "guide" : "../../dist/site");

/** Whether the documents are built: what leads to them is shown only then. */
export function hasGuide(): Promise<boolean> {
  return isBuilt(GUIDE_FOLDER);
}

/** The built pages: the console and the documents. `more` are headers of all answers. */
export function builtPages(more: Readonly<Record<string, string>>): ConsolePages {
  const console_pages = consolePages(CONSOLE_FOLDER, more);
  const guide = guidePages(GUIDE_FOLDER, more);
  return { answer: (request) => (isGuide(request.path) ? guide.answer(request) : console_pages.answer(request)) };
}

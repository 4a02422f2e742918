import { BANS, type Ban } from "./bans.ts";
import type { SourceFile } from "./source-files.ts";
import type { Violation } from "./violation.ts";

/** Every banned line in these files. For tests, only the bans on how any code is written apply. */
export function checkBans(files: readonly SourceFile[]): Violation[] {
  return files.filter(({ path }) => /\.tsx?$/.test(path)).flatMap((file) => bannedLines(file, bansFor(file.path)));
}

function bansFor(path: string): Ban[] {
  return BANS.filter(({ where, except = {} }) => where.test(path) && !isException(path, Object.keys(except))).filter(
    ({ where }) => !path.endsWith(".test.ts") || where.test("any.test.ts"),
  );
}

function isException(path: string, exceptions: readonly string[]): boolean {
  return exceptions.some((exception) => (exception.endsWith("/") ? path.startsWith(exception) : path === exception));
}

function bannedLines({ path, text }: SourceFile, bans: readonly Ban[]): Violation[] {
  const code = withoutComments(text);
  return bans.flatMap(({ pattern, name, instead, because, in_comments }) => {
    const searched = in_comments === true ? text : code;
    return [...searched.matchAll(new RegExp(pattern, "gm"))].map(({ index }) => ({
      path,
      line: searched.slice(0, index).split("\n").length,
      message: `${name} is banned. Instead: ${instead}. Because ${because}.`,
    }));
  });
}

/** The text with empty comments, line for line. The formatter puts a space before `//` and a star in block comments. */
function withoutComments(text: string): string {
  return text.replace(/^\s*(?:\/\/|\/?\*).*$|\s\/\/ .*$/gm, "");
}

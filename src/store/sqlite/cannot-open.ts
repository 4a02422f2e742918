/** SQLite's words for a file that it cannot use, with what they mean to whoever starts a gateway. */
const MEANINGS: readonly (readonly [words: RegExp, meaning: string])[] = [
  [/disk is full/, "its disk is full. Make room, and start again"],
  [/readonly database/, "this user may not write it, or its disk is read-only"],
  [/unable to open database file/, "this user may not open it, or it is a folder"],
];

/** The error of a start whose database cannot be opened, with the file's name and what to do; any other error as it is. */
export function cannotOpen(path: string, thrown: unknown): unknown {
  const said = thrown instanceof Error ? thrown.message : "";
  const meaning = MEANINGS.find(([words]) => words.test(said))?.[1];
  if (meaning === undefined) return thrown;
  return new Error(`The database ${path} cannot be used: ${meaning}.`, { cause: thrown });
}

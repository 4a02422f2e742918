const LONGEST = 180;

/**
 * Gives documents names that the API accepts: letters, digits, single spaces, hyphens, brackets, and no name twice. A
 * file's own name keeps all characters that are allowed, without its extension.
 */
export class DocumentNames {
  readonly #given = new Set<string>();
  /** The number that the next document gets of each name that was wanted more than once. */
  readonly #next = new Map<string, number>();

  name(filename: string | undefined): string {
    const stem = (filename ?? "").replace(/\.[A-Za-z0-9]{1,5}$/, "");
    const clean = stem
      .replace(/[^A-Za-z0-9\s()[\]-]/g, "-")
      .replace(/\s+/g, " ")
      .slice(0, LONGEST)
      .trim();
    const wanted = /[A-Za-z0-9]/.test(clean) ? clean : "document";
    let name = wanted;
    let again = this.#next.get(wanted) ?? 2;
    for (; this.#given.has(name); again++) name = `${wanted} (${again})`;
    this.#next.set(wanted, again);
    this.#given.add(name);
    return name;
  }
}

import type { Environment } from "../configuration/place.ts";

/** A variable that an exported file refers to. */
export interface ExportedVariable {
  readonly name: string;
  /** The content that it has to hold, for people. */
  readonly holds: string;
  /** Whether the environment has it under this name. */
  readonly set: boolean;
}

/** The variables of one exported file: those that secrets come from, and new ones for secrets that come from elsewhere. */
export class ExportedVariables {
  readonly list: ExportedVariable[] = [];
  readonly #env: Environment;

  constructor(env: Environment) {
    this.#env = env;
  }

  /** The text in place of a secret in a file: `${NAME}`. `named`: the variable that the secret comes from; null where none has it. */
  reference(path: readonly string[], named: string | null, holds: string): string {
    const name = named ?? this.#newName(path);
    if (!this.list.some((known) => known.name === name)) this.list.push({ name, holds, set: Boolean(this.#env[name]) });
    return `\${${name}}`;
  }

  #newName(path: readonly string[]): string {
    const stem = ["CAMINO", ...path].map((part) => part.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")).join("_");
    const is_taken = (name: string) => this.#env[name] !== undefined || this.list.some((known) => known.name === name);
    let name = stem;
    for (let next = 2; is_taken(name); next += 1) name = `${stem}_${next}`;
    return name;
  }
}

/** The variable that a text of a file is, and nothing else; null for any other text. */
export function onlyVariable(text: unknown): string | null {
  return typeof text === "string" ? (/^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/.exec(text)?.[1] ?? null) : null;
}

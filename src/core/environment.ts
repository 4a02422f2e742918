/** The variables that a process was started with, by their names. */
export type Environment = Readonly<Record<string, string | undefined>>;

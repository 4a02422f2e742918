/** Called with the progress of a long task. */
export type OnProgress = (step: string, done: number, of: number) => void;

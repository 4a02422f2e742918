/** The result of one check of `camino doctor`. */
export interface Finding {
  /** The checked part: `configuration`, `database`, `vendor openai`. */
  readonly subject: string;
  /** `note`: nothing is broken, but someone may want to know. */
  readonly outcome: "ok" | "note" | "failed";
  /** A sentence; for a failure, the sentence says what to do. */
  readonly detail: string;
}

export function ok(subject: string, detail: string): Finding {
  return { subject, outcome: "ok", detail };
}

export function note(subject: string, detail: string): Finding {
  return { subject, outcome: "note", detail };
}

export function failed(subject: string, detail: string): Finding {
  return { subject, outcome: "failed", detail };
}

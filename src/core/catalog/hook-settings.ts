/** An operator's own server that is asked about requests, or told of answers (docs/configuration.md Hooks). */
export interface HookSettings {
  readonly url: string;
  /** Sent with each call: credentials may be among them. */
  readonly headers: Readonly<Record<string, string>>;
  readonly deadline_ms: number;
}

export interface BeforeHookSettings extends HookSettings {
  /** What becomes of a request whose hook has failed. */
  readonly on_failure: "refuse" | "allow";
}

export interface HooksSettings {
  /** Asked before the hold; absent: nobody. */
  readonly before?: BeforeHookSettings;
  /** Told once the charge is durable; absent: nobody. */
  readonly after?: HookSettings;
}

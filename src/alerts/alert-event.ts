/** What is told: the body of a webhook, and what mails and Slack's messages are written from (docs/rulings.md 185). */
export interface AlertEvent {
  /** `balance.low`, `balance.low.ended`. */
  readonly type: string;
  /** When it was found, RFC 3339. */
  readonly timestamp: string;
  /** Ids, names, percents, and amounts in micro units: never a request's content, a key or an address. */
  readonly data: AlertData;
}

export type AlertData = Readonly<Record<string, string | number | boolean | null | readonly object[]>>;

export function eventBody(event: AlertEvent): string {
  return JSON.stringify(event);
}

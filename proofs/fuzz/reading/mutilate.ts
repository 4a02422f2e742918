/** Parts that the ways to mutilate answers of all shapes share. */

export type Event = Record<string, unknown>;
type Fields = Record<string, unknown>;

/** A change of the events; `at` and `by` are any numbers, by which it chooses. Returns the events, which it may change. */
export type Mutilation = (events: Event[], at: number, by: number) => Event[];

/** The mutilations of a case, each with the two numbers by which it chooses. */
export interface Mutilations {
  readonly small: readonly (readonly [name: string, at: number, by: number])[];
  readonly large: readonly [name: string, at: number, by: number];
}

/** The events of a recorded stream. */
export function eventsOf(stream: string): Event[] {
  return [...stream.matchAll(/^data: ?(.*)$/gm)].map(([, data]) => JSON.parse(data ?? "") as Event);
}

/** The events as a stream; each is named by what its type was before it was mutilated. */
export function streamOf(events: readonly Event[], names: ReadonlyMap<Event, string>): Buffer {
  return Buffer.from(
    events
      .map((event) => `event: ${names.get(event) ?? String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`)
      .join(""),
  );
}

export function chosen<One>(from: readonly One[], at: number): One | undefined {
  return from[at % Math.max(1, from.length)];
}

/** Takes one of the named members out of one of the holders, or makes it null. */
export function without(
  events: Event[],
  holders: readonly Fields[],
  names: readonly string[],
  { at, by }: { readonly at: number; readonly by: number },
): Event[] {
  const holder = chosen(holders, at);
  const name = chosen(
    names.filter((one) => holder !== undefined && one in holder),
    by >> 1,
  );
  if (holder === undefined || name === undefined) return events;
  if (by % 2 === 0) delete holder[name];
  else holder[name] = null;
  return events;
}

import type { JsonRecord } from "../../core/json.ts";
import { eventFrame } from "../shared/event-frames.ts";
import { missingOfEvent } from "./read-members.ts";

/** An event on its way to the client. */
export interface Frame {
  readonly name: string;
  readonly bytes: Buffer;
}

/**
 * Writes the events that the client gets for one of the vendor's, and keeps `sequence_number` rising where events are added
 * or left out. An event in which nothing has to change is the vendor's frame.
 */
export class EventNumbers {
  /** How many more events the client got than the vendor sent. */
  #shift = 0;
  /** The number of the next event where the vendor gives none. */
  #next = 0;
  #frames: Frame[] = [];
  #pending: { readonly name: string; readonly frame: Buffer; readonly data: JsonRecord } | null = null;

  /** Whether the numbers of the vendor's events have to be changed. */
  get is_shifted(): boolean {
    return this.#shift !== 0;
  }

  /** Notes an event that passed as it came, without its number being looked at. */
  passed(): void {
    this.#next++;
  }

  asItCame(name: string, bytes: Buffer): readonly Frame[] {
    this.#next++;
    return [{ name, bytes }];
  }

  /** Begins with an event of the vendor; what is added until `taken` goes in front of it. */
  begin(name: string, frame: Buffer, data: JsonRecord): void {
    this.#pending = { name, frame, data };
    const { sequence_number } = data;
    if (typeof sequence_number === "number") this.#next = sequence_number + this.#shift;
  }

  /** Adds an event that the vendor did not send. */
  add(name: string, data: JsonRecord): void {
    const event = { type: name, sequence_number: this.#next, ...data, ...missingOfEvent(name, data) };
    this.#frames.push({ name, bytes: eventFrame(name, event) });
    this.#next++;
    this.#shift++;
  }

  /** Passes the vendor's event on with these members, and those that clients read of such an event. */
  change(members: JsonRecord): void {
    if (this.#pending === null) return;
    const { name, frame, data } = this.#pending;
    const missing = missingOfEvent(name, data);
    const changed: Record<string, unknown> = { type: name, sequence_number: this.#next, ...missing, ...members };
    const is_right = Object.keys(changed).every((member) => changed[member] === data[member]);
    this.#frames.push({ name, bytes: is_right ? frame : eventFrame(name, { ...data, ...changed }) });
    this.#next++;
    this.#pending = null;
  }

  /** The events for the client; the vendor's own is left out unless `change` passed it on. */
  taken(): readonly Frame[] {
    if (this.#pending !== null) this.#shift--;
    const frames = this.#frames;
    this.#frames = [];
    this.#pending = null;
    return frames;
  }
}

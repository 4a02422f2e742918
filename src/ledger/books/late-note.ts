const BEGIN = "late end of ";

/** The note of a late end's correction (docs/rulings.md 146). It names the request for as long as the entry stays, which is for ever. */
export function lateNote(request_id: string): string {
  return BEGIN + request_id;
}

/** The request that a correction of the gateway's own is booked for; null where the note names none. */
export function requestOfLateNote(note: string): string | null {
  return note.startsWith(BEGIN) ? note.slice(BEGIN.length) : null;
}

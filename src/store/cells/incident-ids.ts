/** Incidents are numbered in each cell: those of the n-th cell, the directory being the first, are told with n million added. */
const IDS_PER_CELL = 1_000_000;

export function incidentIn<Incident extends { readonly id: number }>(cell: number, incident: Incident): Incident {
  return { ...incident, id: incident.id + cell * IDS_PER_CELL };
}

/** The place of an incident's cell among all, and its number there. */
export function placeOfIncident(id: number): { readonly cell: number; readonly id: number } {
  return { cell: Math.floor(id / IDS_PER_CELL), id: id % IDS_PER_CELL };
}

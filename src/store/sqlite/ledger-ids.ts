/**
 * Questions to the database's thread have numbers of who asks in their upper part: 0 is the process that owns the database, others
 * are its clients. Both parts together are whole numbers that JSON keeps.
 */
const OF_EACH = 2 ** 32;

export function idOf(client: number, own_id: number): number {
  return client * OF_EACH + (own_id % OF_EACH);
}

export function clientOf(id: number): number {
  return Math.floor(id / OF_EACH);
}

export function ownIdOf(id: number): number {
  return id % OF_EACH;
}

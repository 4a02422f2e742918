/**
 * Bodies above this size are worked on by other threads, requests as well as whole answers. Reading, translating and
 * writing one of this size takes the serving thread some milliseconds, and a hostile one some tens; handing one over takes
 * less than one, and the other thread may first have to start.
 */
export const LARGE_BYTES = 512 * 1024;

/** Whether a body is large, by its bytes or its UTF-16 units. */
export function isLarge(body: string | Uint8Array): boolean {
  return body.length > LARGE_BYTES;
}

const HOME = "/console/";
/** A longer one does not fit into the cookie that holds it during a sign-in at a provider. */
const LONGEST = 1500;

/**
 * The path to go to after a sign-in: `text` where it is a path of the console, else the console's first page. An
 * address that a browser would take for another site's, or for another part of this site, is not followed.
 */
export function safeReturn(text: string | undefined): string {
  if (text === undefined || !text.startsWith(HOME) || /[\\\p{Cc}]/u.test(text)) return HOME;
  const base = "http://gateway.invalid";
  const url = URL.parse(text, base);
  if (url === null || url.origin !== base || !url.pathname.startsWith(HOME)) return HOME;
  if (url.pathname.startsWith(`${HOME}api/`)) return HOME;
  const path = url.pathname + url.search + url.hash;
  return path.length <= LONGEST ? path : HOME;
}
